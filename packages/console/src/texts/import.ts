import { texts } from './language.ts';

export const t = texts({
  import: ['Import …', 'Importieren …'],
  importDevices: ['Import devices', 'Geräte importieren'],
  file: ['CSV file', 'CSV-Datei'],
  whatTheFileHas: [
    'With the columns uuid and platform (its code), and if you like title, mac and bt_addr. Nothing is changed before you have seen what would happen.',
    'Mit den Spalten uuid und platform (ihr Code), auf Wunsch auch title, mac und bt_addr. Nichts ändert sich, bevor du gesehen hast, was geschehen würde.',
  ],
  choose: ['Choose a file', 'Datei auswählen'],
  show: ['Show what would happen', 'Zeigen, was geschehen würde'],
  importThem: [(devices: string) => `Import ${devices}`, (devices: string) => `${devices} importieren`],
  columnIsMissing: [
    (column: string) => `The file has no column "${column}"`,
    (column: string) => `Die Datei hat keine Spalte „${column}“`,
  ],
  noSuchPlatform: [
    (code: string) => `There is no platform "${code}"`,
    (code: string) => `Es gibt keine Plattform „${code}“`,
  ],
  noDevices: ['The file has no devices', 'Die Datei enthält keine Geräte'],
  tooMany: [
    (count: string, limit: string) => `The file has ${count} devices; one import takes ${limit}`,
    (count: string, limit: string) => `Die Datei enthält ${count} Geräte, ein Import fasst ${limit}`,
  ],
  wouldBeMade: [(devices: string) => `${devices} would be made`, (devices: string) => `${devices} würden angelegt`],
  areRefused: [
    (refused: string, devices: string) => `${refused} of ${devices} cannot be made: none is, until the file is mended`,
    (refused: string, devices: string) =>
      `${refused} von ${devices} lassen sich nicht anlegen: Solange die Datei so bleibt, wird keines angelegt`,
  ],
  row: ['Row', 'Zeile'],
  outcome: ['What would happen', 'Was geschehen würde'],
  isMade: ['is made', 'wird angelegt'],
  rowsShown: [
    (count: string) => `The first ${count} rows are shown, those that are refused before the others.`,
    (count: string) => `Gezeigt werden die ersten ${count} Zeilen, abgelehnte zuerst.`,
  ],
  made: [(devices: string) => `${devices} made`, (devices: string) => `${devices} angelegt`],
  tokensAreShownOnce: [
    'Each has a provisioning token, which the service shows this once. Save them now.',
    'Jedes hat ein Provisioning-Token, das der Dienst nur dieses eine Mal zeigt. Jetzt speichern.',
  ],
  saveTokens: ['Save the tokens', 'Tokens speichern'],
});
