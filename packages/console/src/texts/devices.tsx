import type { ReactNode } from 'react';
import { texts } from './language.ts';

export const t = texts({
  updateNow: ['Update now …', 'Jetzt aktualisieren …'],
  ask: ['Ask', 'Auffordern'],
  askingForUpdateOf: ['Asking for the update of', 'Update-Aufforderung:'],
  eachLooksForItsUpdate: [
    'Each looks for its update at once when it is on the message channel and dms.auto_start_enabled is on; the others look with their next query.',
    'Jedes sucht sofort nach seinem Update, wenn es im Nachrichtenkanal und dms.auto_start_enabled an ist; die übrigen suchen bei ihrer nächsten Abfrage.',
  ],
  block: ['Block …', 'Sperren …'],
  block2: ['Block', 'Sperren'],
  blocking: ['Blocking', 'Sperren:'],
  theyAreCutOffAt: [
    'They are cut off at once, and every call they make is refused. Nothing is deleted, and you can let them in again.',
    'Sie werden sofort abgeschnitten, und jeder Aufruf wird abgelehnt. Nichts wird gelöscht, und sie können wieder zugelassen werden.',
  ],
  letInAgain: ['Let in again …', 'Wieder zulassen …'],
  letIn: ['Let in', 'Zulassen'],
  lettingIn: ['Letting in', 'Zulassen:'],
  blockedDevicesBecomeActiveWith: [
    'Blocked devices become active with their next contact; the others stay as they are.',
    'Gesperrte Geräte werden mit ihrem nächsten Kontakt aktiv; die übrigen bleiben, wie sie sind.',
  ],
  reset: ['Reset …', 'Zurücksetzen …'],
  reset2: ['Reset', 'Zurücksetzen'],
  resetting: ['Resetting', 'Zurücksetzen:'],
  theyLoseTheirOwnerTitle: [
    'They lose their owner, title, description, place, tag, files and data, and return to the base edition of their platform. Their log stays. This cannot be undone.',
    'Sie verlieren Eigentümer, Titel, Beschreibung, Standort, Tag, Dateien und Daten und kehren zur Basis-Edition ihrer Plattform zurück. Ihr Log bleibt. Das lässt sich nicht rückgängig machen.',
  ],
  deleting: ['Deleting', 'Löschen:'],
  serviceForgetsThemWithTheir: [
    'The service forgets them with their files, data and history of updates; their certificates are refused from then on. Their log stays. This cannot be undone.',
    'Der Dienst vergisst sie mit Dateien, Daten und Update-Geschichte; ihre Zertifikate werden ab dann abgelehnt. Ihr Log bleibt. Das lässt sich nicht rückgängig machen.',
  ],
  more: ['More …', 'Mehr …'],
  runCommand: ['Run a command …', 'Befehl ausführen …'],
  runCommandOn: [
    (devices: string) => `Run a command on ${devices}`,
    (devices: string) => `Befehl auf ${devices} ausführen`,
  ],
  tagging: [(devices: string) => `Tagging ${devices}`, (devices: string) => `Tag setzen: ${devices}`],
  tag: [(devices: string) => `Tag ${devices}`, (devices: string) => `Tag setzen: ${devices}`],
  ofBundlesThatTheseDevices: [
    'Of the bundles that these devices follow; without one they follow the release.',
    'Der Bundles, denen diese Geräte folgen; ohne Tag folgen sie dem Release.',
  ],
  noTag: ['no tag', 'kein Tag'],
  chooseOne: ['Choose one', 'Bitte wählen'],
  activating: [(devices: string) => `Activating ${devices}`, (devices: string) => `Aktivieren: ${devices}`],
  activate: [(devices: string) => `Activate ${devices}`, (devices: string) => `Aktivieren: ${devices}`],
  partOfItsTitleOr: ['Part of its title or code', 'Teil von Titel oder Code'],
  willBelongToThisProduct: [
    (devices: string) =>
      `${devices} will belong to this product and no longer to the one they have. They fetch its files with their next update. Devices of another platform, or that are not yours, are left as they are and listed.`,
    (devices: string) =>
      `${devices} gehören dann zu diesem Produkt und nicht mehr zum bisherigen. Sie holen dessen Dateien mit ihrem nächsten Update. Geräte einer anderen Plattform oder anderer Personen bleiben, wie sie sind, und werden aufgelistet.`,
  ],
  labelling: [(devices: string) => `Labelling ${devices}`, (devices: string) => `Label setzen: ${devices}`],
  label: [(devices: string) => `Label ${devices}`, (devices: string) => `Label setzen: ${devices}`],
  letterThenLettersDigits: ['A letter, then letters, digits, . _ -', 'Ein Buchstabe, dann Buchstaben, Ziffern, . _ -'],
  takeThisLabelOffThem: ['Take this label off them', 'Dieses Label von ihnen entfernen'],
  selected: [(devices: string) => `${devices} selected`, (devices: string) => `${devices} ausgewählt`],
  selectAllThatFitFilters: [
    (all: string) => `Select all ${all} that fit the filters`,
    (all: string) => `Alle ${all} auswählen, die zu den Filtern passen`,
  ],
  tag2: ['Tag …', 'Tag …'],
  activate2: ['Activate …', 'Aktivieren …'],
  label2: ['Label …', 'Label …'],
  selectNone: ['Select none', 'Auswahl aufheben'],
  update: ['Update', 'Update'],
  claimedBy: ['Claimed by', 'Beansprucht von'],
  wiFiAddress: ['Wi-Fi address', 'WLAN-Adresse'],
  macAddressOf: [(title: string) => `MAC address of ${title}`, (title: string) => `MAC-Adresse von ${title}`],
  hardwareUuid: ['Hardware uuid', 'Hardware-UUID'],
  uuidOf: [(title: string) => `uuid of ${title}`, (title: string) => `UUID von ${title}`],
  provisioned: ['Provisioned', 'Provisioniert'],
  inLastHour: ['in the last hour', 'in der letzten Stunde'],
  inLastDay: ['in the last day', 'am letzten Tag'],
  inLastWeek: ['in the last week', 'in der letzten Woche'],
  notForDay: ['not for a day', 'seit einem Tag nicht'],
  notForWeek: ['not for a week', 'seit einer Woche nicht'],
  never: ['never', 'nie'],
  newDevice: ['New device', 'Neues Gerät'],
  provisionOneHereClaimOne: [
    (pageLink: ReactNode) => (
      <>Provision one here, claim one from its own command line, or let somebody add you to a {pageLink}.</>
    ),
    (pageLink: ReactNode) => (
      <>
        Hier eines provisionieren, eines auf seiner Kommandozeile beanspruchen oder dich zu einem {pageLink} hinzufügen
        lassen.
      </>
    ),
  ],
  youHaveNoDevicesYet: ['You have no devices yet', 'Du hast noch keine Geräte'],
  product: ['product', 'Produkt'],
  noneOfYourDevicesFits: [
    'None of your devices fits all of these filters.',
    'Keines deiner Geräte passt zu all diesen Filtern.',
  ],
  noDeviceFits: ['No device fits', 'Kein Gerät passt'],
  filtersOfDevices: ['Filters of the devices', 'Filter der Geräte'],
  searchDevicesByTitleUuid: [
    'Search devices by title, uuid or MAC address',
    'Geräte nach Titel, UUID oder MAC-Adresse suchen',
  ],
  titleUuidOrMacAddress: ['Title, uuid or MAC address', 'Titel, UUID oder MAC-Adresse'],
  connection: ['Connection', 'Verbindung'],
  condition: ['Condition', 'Bedingung'],
  resultsByDevice: ['Results by device', 'Ergebnisse je Gerät'],
  answer: ['Answer', 'Antwort'],
  maskSecrets: ['Mask secrets', 'Geheimnisse verdecken'],
  showSecrets: ['Show secrets', 'Geheimnisse anzeigen'],
  firstOfAreShownThose: [
    (shownLimit: number, length: number) =>
      `The first ${shownLimit} of ${length} are shown, those that failed before the others.`,
    (shownLimit: number, length: number) =>
      `Gezeigt werden die ersten ${shownLimit} von ${length}, fehlgeschlagene zuerst.`,
  ],
  runOn: [(count: string) => `Run on ${count}`, (count: string) => `Auf ${count} ausführen`],
  commandLine: ['Command line', 'Kommandozeile'],
  itRunsOnAllOf: [
    'It runs on all of them at once. Devices that are not on the message channel are listed.',
    'Sie läuft auf allen zugleich. Geräte, die nicht im Nachrichtenkanal sind, werden aufgelistet.',
  ],
  devicesThatAreDone: ['Devices that are done', 'Fertige Geräte'],
  of: [
    (done: number, ofValue: string, failed: string) => `${done} of ${ofValue}, ${failed}`,
    (done: number, ofValue: string, failed: string) => `${done} von ${ofValue}, ${failed}`,
  ],
  withItDeviceFetchesIts: [
    'With it the device fetches its certificate and key. It is of no use after that.',
    'Damit holt das Gerät Zertifikat und Schlüssel. Danach ist es wertlos.',
  ],
  tokenIsShownThisOnce: ['The token is shown this once', 'Das Token wird nur dieses eine Mal angezeigt'],
  provisioningToken: ['Provisioning token', 'Provisionierungstoken'],
  onCommandLineOfModule: [
    'On the command line of a module that has joined a network:',
    'Auf der Kommandozeile eines Moduls, das in einem Netzwerk ist:',
  ],
  forSomethingElse: [
    'For something else, certificate and key as a zip file:',
    'Für anderes Zertifikat und Schlüssel als Zip-Datei:',
  ],
  toDevice: ['To the device', 'Zum Gerät'],
  provision: ['Provision', 'Provisionieren'],
  hexadecimalDigitsKeepProposalFor: [
    (uuidDigits: number) =>
      `${uuidDigits} hexadecimal digits. Keep the proposal for a device that has none; module hardware has its own.`,
    (uuidDigits: number) =>
      `${uuidDigits} Hexadezimalziffern. Den Vorschlag lassen für ein Gerät, das keine hat; Modul-Hardware hat eigene.`,
  ],
  whatPeopleCallItLast: [
    'What people call it; the last digits of the uuid without one',
    'Wie man es nennt; ohne Angabe die letzten Ziffern der UUID',
  ],
  deviceIsMadeForPlatform: [
    (pageLink: ReactNode) => <>A device is made for a platform, and there is none yet: {pageLink} first.</>,
    (pageLink: ReactNode) => <>Ein Gerät gehört zu einer Plattform, und es gibt noch keine: zuerst {pageLink}.</>,
  ],
  addPlatform: ['add a platform', 'eine Plattform hinzufügen'],
  moduleHardwareIsProvisionedBy: [
    (softwarePlatform: string) =>
      `Module hardware is provisioned by administrators; anybody may provision software devices, but this service has no platform "${softwarePlatform}" for them. A device that is provisioned already becomes yours when you type "dms claim" with your user name and password on its command line.`,
    (softwarePlatform: string) =>
      `Modul-Hardware wird von der Verwaltung provisioniert; Software-Geräte können alle provisionieren, doch dieser Dienst hat keine Plattform „${softwarePlatform}“ dafür. Ein schon provisioniertes Gerät gehört dir, wenn du auf seiner Kommandozeile „dms claim“ mit deinem Benutzernamen und Passwort eingibst.`,
  ],
  version: [(version: string) => `Version ${version}`, (version: string) => `Version ${version}`],
  itRunsWhatItWas: ['It runs what it was offered last', 'Es führt aus, was ihm zuletzt angeboten wurde'],
  itRunsVersionWhichIt: [
    (version: string) => `It runs version ${version}, which it should`,
    (version: string) => `Es führt Version ${version} aus, wie es soll`,
  ],
  itHasNotSaidYet: ['It has not said yet what it runs', 'Es hat noch nicht gemeldet, was es ausführt'],
  waits: [
    (version: string) => `Version ${version} waits until it asks`,
    (version: string) => `Version ${version} wartet, bis es fragt`,
  ],
  isOnOffer: [
    (version: string) => `Version ${version} is on offer`,
    (version: string) => `Version ${version} wird angeboten`,
  ],
  updatesTo: [
    (version: string) => `It updates to version ${version}`,
    (version: string) => `Es wird auf Version ${version} aktualisiert`,
  ],
  didNotGetThere: [
    (version: string, why: string) => `Version ${version} did not get there${why}`,
    (version: string, why: string) => `Version ${version} kam nicht an${why}`,
  ],
  since: [', since ', ', seit '],
  loseTag: [
    (devices: string) =>
      `${devices} will lose their tag and follow the release. They fetch what that leads to with their next update.`,
    (devices: string) =>
      `${devices} verlieren ihr Tag und folgen dem Release. Was daraus folgt, holen sie mit ihrem nächsten Update.`,
  ],
  followTag: [
    (devices: string, tag: string) =>
      `${devices} will follow the tag "${tag}". They fetch what that leads to with their next update.`,
    (devices: string, tag: string) =>
      `${devices} folgen dann dem Tag „${tag}“. Was daraus folgt, holen sie mit ihrem nächsten Update.`,
  ],
  nobody: ['nobody', 'niemandem'],
  labelSheet: ['Label sheet …', 'Etikettenbogen …'],
  print: ['Print', 'Drucken'],
  scanToOpen: [
    'Each code leads to the page of its device: the camera of a phone opens it.',
    'Jeder Code führt zur Seite seines Geräts: Die Kamera eines Telefons öffnet sie.',
  ],
  firstLabelsAreShown: [
    (shown: string, count: string) =>
      `The first ${shown} of ${count} devices are on the sheet; narrow the list for the others.`,
    (shown: string, count: string) =>
      `Auf dem Bogen sind die ersten ${shown} von ${count} Geräten; für die übrigen die Liste einschränken.`,
  ],
  noLabelsYet: ['No device is marked', 'Kein Gerät ist markiert'],
  markDevicesFirst: [
    'Mark devices in the list, then choose "Label sheet" behind "More".',
    'In der Liste Geräte markieren, dann hinter „Mehr“ „Etikettenbogen“ wählen.',
  ],
  codeOf: [(name: string) => `Code of ${name}`, (name: string) => `Code von ${name}`],
  loadingLabels: ['Loading the labels', 'Etiketten werden geladen'],
  saveResults: ['Save all results', 'Alle Ergebnisse speichern'],
});
