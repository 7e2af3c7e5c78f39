import type { ReactNode } from 'react';
import { texts } from './language.ts';

export const t = texts({
  valueOf: [(part: string) => `Value of ${part}`, (part: string) => `Wert von ${part}`],
  defaultOfCapabilitiesNobodyHas: [
    'The default of the capabilities; nobody has set it.',
    'Die Vorgabe der Capabilities; niemand hat ihn gesetzt.',
  ],
  setBy: [(part: string) => `Set by ${part}`, (part: string) => `Gesetzt von ${part}`],
  device: ['the device', 'vom Gerät'],
  user: ['a user', 'von einer Person'],
  itHasHadNoOther: ['It has had no other value.', 'Einen anderen Wert hatte es nicht.'],
  valuesOfNewestFirst: [
    (name: string) => `Values of ${name}, newest first`,
    (name: string) => `Werte von ${name}, neueste zuerst`,
  ],
  by: ['By', 'Durch'],
  isSetTo: [
    (part: string, formatValue: string) => `${part} is set to ${formatValue}`,
    (part: string, formatValue: string) => `${part} ist auf ${formatValue} gesetzt`,
  ],
  set: ['Set', 'Setzen'],
  hideEarlierValues: ['Hide earlier values', 'Frühere Werte ausblenden'],
  showEarlierValues: ['Show earlier values', 'Frühere Werte anzeigen'],
  noValue: ['no value', 'kein Wert'],
  nameOfControl: [(name: string) => `name of control ${name}`, (name: string) => `Name des Bedienelements ${name}`],
  setAnotherValue: ['Set another value', 'Anderen Wert setzen'],
  isSwitchedOn: [(label: string) => `${label} is switched on`, (label: string) => `${label} ist eingeschaltet`],
  isSwitchedOff: [(label: string) => `${label} is switched off`, (label: string) => `${label} ist ausgeschaltet`],
  on: ['On', 'Ein'],
  off: ['Off', 'Aus'],
  itIsOverCharactersLong: [
    (dataValueLimit: number) => `It is over ${dataValueLimit} characters long`,
    (dataValueLimit: number) => `Er ist länger als ${dataValueLimit} Zeichen`,
  ],
  itIsNotNumber: ['It is not a number', 'Das ist keine Zahl'],
  anyTextOfUpTo: [
    (dataValueLimit: number) => `any text of up to ${dataValueLimit} characters`,
    (dataValueLimit: number) => `beliebiger Text bis ${dataValueLimit} Zeichen`,
  ],
  to: [
    (min: number, max: number, unit: string) => `${min} to ${max}${unit}`,
    (min: number, max: number, unit: string) => `${min} bis ${max}${unit}`,
  ],
  from: [(min: number, unit: string) => `from ${min}${unit}`, (min: number, unit: string) => `ab ${min}${unit}`],
  anyNumber: [(part: string) => `any number${part}`, (part: string) => `beliebige Zahl${part}`],
  of: [(unit: string) => `of${unit}`, (unit: string) => `in${unit}`],
  upTo: [(max: number, unit: string) => `up to ${max}${unit}`, (max: number, unit: string) => `bis ${max}${unit}`],
  deviceIsOnMessageChannel: [
    'The device is on the message channel and is told a new value at once; it counts as delivered when the device has fetched it.',
    'Das Gerät ist im Nachrichtenkanal und erfährt einen neuen Wert sofort; er gilt als zugestellt, wenn das Gerät ihn abgeholt hat.',
  ],
  deviceIsNotOnMessage: [
    'The device is not on the message channel: it fetches new values with its next synchronisation.',
    'Das Gerät ist nicht im Nachrichtenkanal: Es holt neue Werte bei der nächsten Synchronisierung.',
  ],
  itsCapabilitiesFileNamesNone: ['Its capabilities file names none.', 'Seine Capabilities-Datei nennt keine.'],
  deviceHasNoControls: ['The device has no controls', 'Das Gerät hat keine Bedienelemente'],
  controls: ['controls', 'Bedienelemente'],
  level: ['Level', 'Stufe'],
  whatHappened: ['What happened', 'Was geschehen ist'],
  logOfDevice: ['Log of the device', 'Log des Geräts'],
  searchLog: ['Search the log', 'Log durchsuchen'],
  partOfMessage: ['Part of the message', 'Teil der Nachricht'],
  typeOfEvent: ['Type of event', 'Art des Ereignisses'],
  allTypes: ['All types', 'Alle Arten'],
  allLevels: ['All levels', 'Alle Stufen'],
  whatDeviceDoesAndWhat: [
    'What the device does, and what is done to it, is listed here for 90 days. Checks for updates and messages are shown when their type is asked for.',
    'Was das Gerät tut und was mit ihm geschieht, steht hier 90 Tage lang. Update-Abfragen und Nachrichten erscheinen, wenn ihre Art gewählt ist.',
  ],
  nothingHasHappened: ['Nothing has happened', 'Es ist nichts geschehen'],
  theirBytesAreLostDevice: [
    'Their bytes are lost; the device finds the new ones under the same path.',
    'Ihr Inhalt geht verloren; das Gerät findet die neuen unter demselben Pfad.',
  ],
  delete: [(path: string) => `Delete ${path}?`, (path: string) => `${path} löschen?`],
  areLostAndDeviceNo: [
    (size: string) => `${size} are lost, and the device no longer finds the file. This cannot be undone.`,
    (size: string) =>
      `${size} gehen verloren, und das Gerät findet die Datei nicht mehr. Das lässt sich nicht rückgängig machen.`,
  ],
  isDeleted: [(path: string) => `${path} is deleted`, (path: string) => `${path} ist gelöscht`],
  download: [(path: string) => `Download ${path}`, (path: string) => `${path} herunterladen`],
  deletePath: [(path: string) => `Delete ${path}`, (path: string) => `${path} löschen`],
  path: ['Path', 'Pfad'],
  kind: ['Kind', 'Art'],
  filesOfDevice: ['Files of the device', 'Dateien des Geräts'],
  dropFilesOrFoldersHere: [
    'Drop files or folders here for the device',
    'Dateien oder Ordner für das Gerät hier ablegen',
  ],
  folder: ['Folder', 'Ordner'],
  whereNewFilesGoEmpty: [
    'Where new files go; empty for the top',
    'Wohin neue Dateien kommen; leer für die oberste Ebene',
  ],
  searchFiles: ['Search the files', 'Dateien suchen'],
  partOfPath: ['Part of the path', 'Teil des Pfads'],
  whatIsPutHereModule: [
    'What is put here the module fetches when it wants to, and what the module puts here is listed too.',
    'Was hier abgelegt wird, holt das Modul, wann es will; was das Modul hier ablegt, steht ebenfalls hier.',
  ],
  deviceHasNoFilesYet: ['The device has no files yet', 'Das Gerät hat noch keine Dateien'],
  noPathHasThisIn: ['No path has this in it', 'Kein Pfad enthält das'],
  atMostFilesAndFor: [
    (files: string, bytes: string) => `At most ${files} files and ${bytes} for each device.`,
    (files: string, bytes: string) => `Höchstens ${files} Dateien und ${bytes} je Gerät.`,
  ],
  now: ['Now', 'Jetzt'],
  liveCharts: ['Live charts', 'Live-Diagramme'],
  fromDevice: ['From the device', 'Vom Gerät'],
  deviceHasSentNothingThat: [
    'The device has sent nothing that is still here.',
    'Das Gerät hat nichts gesendet, was noch hier ist.',
  ],
  toDevice: ['To the device', 'An das Gerät'],
  nothingWaitsForDevice: ['Nothing waits for the device.', 'Nichts wartet auf das Gerät.'],
  message: ['the message', 'die Nachricht'],
  deleteThisMessage: ['Delete this message?', 'Diese Nachricht löschen?'],
  deviceWillNotGetIt: [
    'The device will not get it, unless it has fetched it already. This cannot be undone.',
    'Das Gerät bekommt sie nicht, wenn es sie nicht schon abgeholt hat. Das lässt sich nicht rückgängig machen.',
  ],
  itsTextIsLostThis: [
    'Its text is lost. This cannot be undone.',
    'Ihr Text geht verloren. Das lässt sich nicht rückgängig machen.',
  ],
  messageIsDeleted: ['The message is deleted', 'Die Nachricht ist gelöscht'],
  ofCreated_at: [(created_at: string) => `of ${created_at}`, (created_at: string) => `vom ${created_at}`],
  read: ['Read', 'Lesen'],
  readMessage: [(ofValue: string) => `Read the message ${ofValue}`, (ofValue: string) => `Nachricht ${ofValue} lesen`],
  deleteMessage: [
    (ofValue: string) => `Delete the message ${ofValue}`,
    (ofValue: string) => `Nachricht ${ofValue} löschen`,
  ],
  capabilitiesOfDeviceHaveNo: [
    'The capabilities of the device have no such box.',
    'Die Capabilities des Geräts haben kein solches Fach.',
  ],
  boxKeepsMessagesOldestGives: [
    (messagesPerBox: number) => `A box keeps ${messagesPerBox} messages; the oldest gives way to a new one.`,
    (messagesPerBox: number) => `Ein Fach fasst ${messagesPerBox} Nachrichten; die älteste weicht einer neuen.`,
  ],
  messages: ['messages', 'Nachrichten'],
  deviceIsNotOnMessageChannel: ['The device is not on the message channel', 'Das Gerät ist nicht im Nachrichtenkanal'],
  commandsCannotReachItNow: [
    'Commands cannot reach it now: it is switched off, without a network, or takes no remote commands. At its own serial port these bring it back; this page tells as soon as it is there.',
    'Befehle erreichen es jetzt nicht: Es ist ausgeschaltet, ohne Netzwerk oder nimmt keine Fernbefehle an. An seiner eigenen seriellen Schnittstelle bringen diese es zurück; diese Seite meldet, sobald es da ist.',
  ],
  onMessageChannelSinceType: [
    (moment: ReactNode, code: ReactNode, code2: ReactNode, code3: ReactNode) => (
      <>
        On the message channel since {moment}. Type a command and press Enter:{code}, {code2} or {code3} to begin with.
        Arrow keys walk through earlier lines, Ctrl+C ends a wait, Tab leaves the terminal.
      </>
    ),
    (moment: ReactNode, code: ReactNode, code2: ReactNode, code3: ReactNode) => (
      <>
        Im Nachrichtenkanal seit {moment}. Einen Befehl eingeben und Enter drücken: {code}, {code2} oder {code3} für den
        Anfang. Pfeiltasten gehen durch frühere Zeilen, Strg+C beendet das Warten, Tab verlässt das Terminal.
      </>
    ),
  ],
  justNow: ['just now', 'gerade eben'],
  loadingTerminal: ['Loading the terminal', 'Terminal wird geladen'],
  n15Minutes: ['15 minutes', '15 Minuten'],
  hour: ['Hour', 'Stunde'],
  day: ['Day', 'Tag'],
  week: ['Week', 'Woche'],
  month: ['Month', 'Monat'],
  year: ['Year', 'Jahr'],
  noValues: ['no values', 'keine Werte'],
  lastLowestHighest: [
    (shown: string, shown2: string, shown3: string) => `last ${shown}, lowest ${shown2}, highest ${shown3}`,
    (shown: string, shown2: string, shown3: string) => `zuletzt ${shown}, kleinster ${shown2}, größter ${shown3}`,
  ],
  samplesOf: [(name: string) => `Samples of ${name}`, (name: string) => `Messwerte von ${name}`],
  samplesOfNewestFirst: [
    (name: string) => `Samples of ${name}, newest first`,
    (name: string) => `Messwerte von ${name}, neueste zuerst`,
  ],
  overTime: [
    (name: string, summary: string) => `${name} over time: ${summary}`,
    (name: string, summary: string) => `${name} im Zeitverlauf: ${summary}`,
  ],
  mean: [(label: string) => `${label} (mean)`, (label: string) => `${label} (Mittel)`],
  lowest: ['lowest', 'kleinster'],
  highest: ['highest', 'größter'],
  hideValues: ['Hide the values', 'Werte ausblenden'],
  showValues: ['Show the values', 'Werte anzeigen'],
  noSampleYet: ['No sample yet', 'Noch kein Messwert'],
  nameOfStream: [(name: string) => `name of stream ${name}`, (name: string) => `Name des Streams ${name}`],
  noSampleInThisRange: ['No sample in this range.', 'Kein Messwert in diesem Zeitraum.'],
  howFarBack: ['How far back', 'Wie weit zurück'],
  everySample: ['Every sample', 'Jeder Messwert'],
  meanLowestAndHighestOf: ['Mean, lowest and highest of each interval', 'Mittel, kleinster und größter je Intervall'],
  deviceHasNoStreams: ['The device has no streams', 'Das Gerät hat keine Streams'],
  streams: ['streams', 'Streams'],
  messageChannel: ['Message channel', 'Nachrichtenkanal'],
  told: ['Told', 'Gemeldet'],
  telemetry: ['Telemetry', 'Telemetrie'],
  noneOnlyGatewaysHaveChildren: [
    'None: only gateways have children, which they report here.',
    'Keine: Nur Gateways haben untergeordnete Knoten, die sie hier melden.',
  ],
  nodes: ['Nodes', 'Knoten'],
  idOf: [(part: string) => `id of ${part}`, (part: string) => `ID von ${part}`],
  node: ['the node', 'der Knoten'],
  moduleSendsItsValuesIn: [
    'A module sends its values in an interval of its own, in milliseconds:',
    'Ein Modul sendet seine Werte in einem eigenen Intervall, in Millisekunden:',
  ],
  noTelemetryYet: ['No telemetry yet', 'Noch keine Telemetrie'],
  commandLineOfDevice: ['Command line of the device', 'Kommandozeile des Geräts'],
  terminal: ['Terminal', 'Terminal'],
  maskSecrets: ['Mask secrets', 'Geheimnisse verdecken'],
  showSecrets: ['Show secrets', 'Geheimnisse anzeigen'],
  keysAndPasswordsThatModule: [
    (part: string) => `Keys and passwords that the module prints are ${part} here.`,
    (part: string) => `Schlüssel und Passwörter, die das Modul ausgibt, sind hier ${part}.`,
  ],
  masked: ['masked', 'verdeckt'],
  shown: ['shown', 'sichtbar'],
  problem: [(problem: string) => `It ${problem}`, (problem: string) => `Der Wert passt nicht: ${problem}`],
  messagesOf: [(title: string) => `Messages ${title.toLowerCase()}`, (title: string) => `Nachrichten: ${title}`],
  messageOf: [(title: string) => `Message ${title.toLowerCase()}`, (title: string) => `Nachricht: ${title}`],
});
