import { type Noun, texts } from './language.ts';

const noun = (one: string, other: string): Noun => ({ one, other });

/** What is counted. */
export const nouns = texts({
  alert: [noun('alert', 'alerts'), noun('Alarm', 'Alarme')],
  asset: [noun('asset', 'assets'), noun('Asset', 'Assets')],
  attempt: [noun('attempt', 'attempts'), noun('Versuch', 'Versuche')],
  bundle: [noun('bundle', 'bundles'), noun('Bundle', 'Bundles')],
  connector: [noun('connector', 'connectors'), noun('Konnektor', 'Konnektoren')],
  control: [noun('control', 'controls'), noun('Bedienelement', 'Bedienelemente')],
  customer: [noun('customer', 'customers'), noun('Kunde', 'Kunden')],
  day: [noun('day', 'days'), noun('Tag', 'Tage')],
  device: [noun('device', 'devices'), noun('Gerät', 'Geräte')],
  entry: [noun('entry', 'entries'), noun('Eintrag', 'Einträge')],
  event: [noun('event', 'events'), noun('Ereignis', 'Ereignisse')],
  failure: [noun('failure', 'failures'), noun('Fehler', 'Fehler')],
  file: [noun('file', 'files'), noun('Datei', 'Dateien')],
  header: [noun('header', 'headers'), noun('Header', 'Header')],
  hour: [noun('hour', 'hours'), noun('Stunde', 'Stunden')],
  key: [noun('key', 'keys'), noun('Schlüssel', 'Schlüssel')],
  label: [noun('label', 'labels'), noun('Label', 'Labels')],
  mailAddress: [noun('mail address', 'mail addresses'), noun('Mailadresse', 'Mailadressen')],
  message: [noun('message', 'messages'), noun('Nachricht', 'Nachrichten')],
  minute: [noun('minute', 'minutes'), noun('Minute', 'Minuten')],
  moreDevice: [noun('more device', 'more devices'), noun('weiteres Gerät', 'weitere Geräte')],
  newOne: [noun('new one', 'new ones'), noun('neuer', 'neue')],
  node: [noun('node', 'nodes'), noun('Knoten', 'Knoten')],
  placeInARollout: [
    noun('place in a rollout', 'places in rollouts'),
    noun('Platz in einem Rollout', 'Plätze in Rollouts'),
  ],
  platform: [noun('platform', 'platforms'), noun('Plattform', 'Plattformen')],
  product: [noun('product', 'products'), noun('Produkt', 'Produkte')],
  reportedAttribute: [
    noun('reported attribute', 'reported attributes'),
    noun('gemeldetes Attribut', 'gemeldete Attribute'),
  ],
  rollout: [noun('rollout', 'rollouts'), noun('Rollout', 'Rollouts')],
  row: [noun('row', 'rows'), noun('Zeile', 'Zeilen')],
  rule: [noun('rule', 'rules'), noun('Regel', 'Regeln')],
  second: [noun('second', 'seconds'), noun('Sekunde', 'Sekunden')],
  stream: [noun('stream', 'streams'), noun('Stream', 'Streams')],
  token: [noun('token', 'tokens'), noun('Token', 'Tokens')],
  update: [noun('update', 'updates'), noun('Update', 'Updates')],
  upload: [noun('upload', 'uploads'), noun('Upload', 'Uploads')],
  user: [noun('user', 'users'), noun('Person', 'Personen')],
});
