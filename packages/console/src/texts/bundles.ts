import { texts } from './language.ts';

export const t = texts({
  rollOut: ['Roll out …', 'Ausrollen …'],
  runsIt: ['Runs it', 'Führt es aus'],
  runIt: ['run it', 'fertig'],
  updating: ['Updating', 'Wird aktualisiert'],
  updating2: ['updating', 'in Arbeit'],
  updateWaiting: ['Update waiting', 'Update wartet'],
  waitingForIt: ['waiting for it', 'wartend'],
  updateFailed: ['Update failed', 'Update fehlgeschlagen'],
  failed: ['failed', 'fehlgeschlagen'],
  noDevice: ['no device', 'kein Gerät'],
  bundle: [
    (version: string, rowText: string) => `Bundle ${version}: ${rowText}`,
    (version: string, rowText: string) => `Bundle ${version}: ${rowText}`,
  ],
  devicesAreOfferedPublishedBundle: [
    'Devices are offered the published bundle that carries their tag.',
    'Geräten wird das veröffentlichte Bundle angeboten, das ihr Tag trägt.',
  ],
  noDeviceRunsBundleYet: ['No device runs a bundle yet', 'Noch kein Gerät führt ein Bundle aus'],
  noDeviceRunsItOr: ['No device runs it or is to run it', 'Kein Gerät führt es aus oder soll es ausführen'],
  preview: ['Preview', 'Vorschau'],
  published: ['Published', 'Veröffentlicht'],
  archive: ['Archive', 'Archiv'],
  trash: ['Trash', 'Papierkorb'],
  theirFilesCanStillChange: [
    'Their files can still change. No device gets them.',
    'Ihre Dateien können sich noch ändern. Kein Gerät bekommt sie.',
  ],
  frozenDevicesGetOneThat: [
    'Frozen. Devices get the one that carries their tag.',
    'Eingefroren. Geräte bekommen das, das ihr Tag trägt.',
  ],
  keptButNoDeviceCan: ['Kept, but no device can ask for them.', 'Aufbewahrt, aber kein Gerät kann danach fragen.'],
  whatIsPutHereIs: [
    'What is put here is deleted at once, with its files.',
    'Was hierher kommt, wird sofort gelöscht, samt Dateien.',
  ],
  onNoDevice: ['On no device', 'Auf keinem Gerät'],
  runsOnOf: [
    (device_count_bundle_ok: string, device_count: string) => `Runs on ${device_count_bundle_ok} of ${device_count}`,
    (device_count_bundle_ok: string, device_count: string) => `Läuft auf ${device_count_bundle_ok} von ${device_count}`,
  ],
  firmwareMade: [
    (firmware: string) => `Firmware ${firmware} · made`,
    (firmware: string) => `Firmware ${firmware} · erstellt`,
  ],
  dropItHere: ['Drop it here', 'Hier ablegen'],
  alwaysEmpty: ['Always empty', 'Immer leer'],
  noBundle: ['No bundle', 'Kein Bundle'],
  publish: ['Publish', 'Veröffentlichen'],
  itsFilesAreFrozenFrom: [
    'Its files are frozen: from then on they never change. No device gets the bundle before it is tagged.',
    'Seine Dateien werden eingefroren: Ab dann ändern sie sich nie. Kein Gerät bekommt das Bundle, bevor es ein Tag hat.',
  ],
  itCanBeTaggedAgain: [
    'It can be tagged again, and devices may ask for it.',
    'Es kann wieder ein Tag bekommen, und Geräte können danach fragen.',
  ],
  noDeviceCanAskFor: [
    'No device can ask for it any more. Those that run it keep it, and it can be published again.',
    'Kein Gerät kann mehr danach fragen. Die es ausführen, behalten es, und es kann wieder veröffentlicht werden.',
  ],
  bundleIsGoneForGood: [
    'The bundle is gone for good with all its files.',
    'Das Bundle ist endgültig weg, mit allen Dateien.',
  ],
  noDeviceHasIt: ['No device has it.', 'Kein Gerät hat es.'],
  fileCannotBeRead: ['The file cannot be read', 'Die Datei lässt sich nicht lesen'],
  uploadWasCancelled: ['The upload was cancelled', 'Der Upload wurde abgebrochen'],
  modulesTakeNamesOfUp: [
    'Modules take names of up to 95 characters, without accents and other special letters',
    'Module nehmen Namen bis 95 Zeichen, ohne Akzente und andere Sonderzeichen',
  ],
  theyAreTakenOutOf: [
    (version: string) => `They are taken out of bundle ${version}, and the new ones put in their place.`,
    (version: string) => `Sie werden aus Bundle ${version} genommen und durch die neuen ersetzt.`,
  ],
  folderOfFilesAddedNext: ['Folder of the files added next', 'Ordner der nächsten Dateien'],
  emptyForNone: ['Empty for none', 'Leer für keinen'],
  typeOfFilesAddedNext: ['Type of the files added next', 'Typ der nächsten Dateien'],
  whereNameDoesNotTell: ['Where the name does not tell', 'Wo der Name ihn nicht verrät'],
  byName: ['By the name', 'Nach dem Namen'],
  clearType: ['Clear the type', 'Typ zurücksetzen'],
  excludeThemKeepThemHere: [
    'Exclude them: keep them here, but do not send them to devices',
    'Ausschließen: hier aufbewahren, aber nicht an Geräte senden',
  ],
  dropFilesForBundleHere: ['Drop files for the bundle here', 'Dateien für das Bundle hier ablegen'],
  remove: [(filename: string) => `Remove "${filename}"?`, (filename: string) => `„${filename}“ entfernen?`],
  itsAreDeletedFromBundle: [
    (size: string, version: string) => `Its ${size} are deleted from bundle ${version}.`,
    (size: string, version: string) => `${size} werden aus Bundle ${version} gelöscht.`,
  ],
  remove2: ['Remove', 'Entfernen'],
  isRemoved: [(filename: string) => `"${filename}" is removed`, (filename: string) => `„${filename}“ ist entfernt`],
  excludedNotSentToDevices: ['excluded: not sent to devices', 'ausgeschlossen: wird nicht an Geräte gesendet'],
  download: ['Download', 'Herunterladen'],
  downloadFilename: [(filename: string) => `Download ${filename}`, (filename: string) => `${filename} herunterladen`],
  removeFilename: [(filename: string) => `Remove ${filename}`, (filename: string) => `${filename} entfernen`],
  filesOfBundle: ['Files of the bundle', 'Dateien des Bundles'],
  crc: ['CRC', 'CRC'],
  devicesGetOfAndFirmware: [
    (length: string, length2: string, reduce: string) =>
      `${length}; devices get ${length2} of ${reduce}, and the firmware.`,
    (length: string, length2: string, reduce: string) =>
      `${length}; Geräte bekommen ${length2} mit ${reduce}, dazu die Firmware.`,
  ],
  filesOfBundleThatWas: [
    'The files of a bundle that was published never change. For other files create another bundle.',
    'Die Dateien eines Bundles, das veröffentlicht war, ändern sich nie. Für andere Dateien ein weiteres Bundle erstellen.',
  ],
  bundleWithoutFilesIsIts: [
    'A bundle without files is its firmware alone, which is enough to publish it.',
    'Ein Bundle ohne Dateien ist nur seine Firmware; das genügt zum Veröffentlichen.',
  ],
  noFiles: ['No files', 'Keine Dateien'],
  actionsForBundle: [
    (version: string) => `Actions for bundle ${version}`,
    (version: string) => `Aktionen für Bundle ${version}`,
  ],
  changeTag: ['Change the tag', 'Tag ändern'],
  taggedBundleStaysPublishedTake: [
    'A tagged bundle stays published: take its tag off first.',
    'Ein Bundle mit Tag bleibt veröffentlicht: zuerst das Tag abnehmen.',
  ],
  versionTextOfModule: ['Version text of the module', 'Versionstext des Moduls'],
  devicesThatWereOfferedIt: ['Devices that were offered it last', 'Geräte, denen es zuletzt angeboten wurde'],
  devicesThatRunIt: ['Devices that run it', 'Geräte, die es ausführen'],
  bundleVersion: [(version: string) => `Bundle ${version}`, (version: string) => `Bundle ${version}`],
  stateOfBundle: ['State of the bundle', 'Status des Bundles'],
  adoption: ['Adoption', 'Verbreitung'],
  showMoreOf: [
    (shown: string, total: string) => `Show more: ${shown} of ${total}`,
    (shown: string, total: string) => `Mehr anzeigen: ${shown} von ${total}`,
  ],
  createBundle: ['Create a bundle', 'Bundle erstellen'],
  bundleIsMade: [
    (version: string) => `Bundle ${version} is made`,
    (version: string) => `Bundle ${version} ist erstellt`,
  ],
  createTheBundle: ['Create the bundle', 'Bundle erstellen'],
  ofProductsPlatformAndEdition: [
    "Of the product's platform and edition; the newest comes first",
    'Der Plattform und Edition des Produkts; die neueste zuerst',
  ],
  fourNumbersHighestVersionHas: [
    'Four numbers; the highest version has no successor',
    'Vier Zahlen; die höchste Version hat keinen Nachfolger',
  ],
  fourNumbersComesNext: [
    (next: string) => `Four numbers; ${next} comes next`,
    (next: string) => `Vier Zahlen; als Nächstes kommt ${next}`,
  ],
  versionIsFourNumbersWith: [
    'A version is four numbers with dots between them',
    'Eine Version besteht aus vier Zahlen mit Punkten dazwischen',
  ],
  bundleIsFirmwareAndFiles: [
    'A bundle is a firmware and files. An administrator uploads firmware to the platform.',
    'Ein Bundle besteht aus einer Firmware und Dateien. Die Verwaltung lädt Firmware zur Plattform hoch.',
  ],
  thereIsNoFirmwareFor: [
    (platform: string, part: string) => `There is no firmware for ${platform} ${part} yet`,
    (platform: string, part: string) => `Für ${platform} ${part} gibt es noch keine Firmware`,
  ],
  toPlatform: ['To the platform', 'Zur Plattform'],
  devicesThatFollowAlpha: ['devices that follow alpha', 'Geräte, die alpha folgen'],
  devicesThatFollowBeta: ['devices that follow beta', 'Geräte, die beta folgen'],
  allDevicesThatFollowNo: ['all devices that follow no other bundle', 'alle Geräte, die keinem anderen Bundle folgen'],
  bundleCarriesNoTag: [
    (version: string) => `Bundle ${version} carries no tag`,
    (version: string) => `Bundle ${version} trägt kein Tag`,
  ],
  bundleCarriesTag: [
    (version: string, tag: string) => `Bundle ${version} carries the tag ${tag}`,
    (version: string, tag: string) => `Bundle ${version} trägt das Tag ${tag}`,
  ],
  takeTagOff: ['Take the tag off', 'Tag abnehmen'],
  moveTagHere: [(tag: string) => `Move the tag ${tag} here`, (tag: string) => `Tag ${tag} hierher geben`],
  devicesGetBundleThatCarries: [
    'Devices get the bundle that carries the tag they follow',
    'Geräte bekommen das Bundle mit dem Tag, dem sie folgen',
  ],
  itCarriesThisTagAlready: ['It carries this tag already.', 'Es trägt dieses Tag schon.'],
  tagOfBundle: [(version: string) => `Tag of bundle ${version}`, (version: string) => `Tag von Bundle ${version}`],
  unknownWhatRuns: [
    (count: number, devices: string) => `Of ${devices} it is not known what ${count === 1 ? 'it runs' : 'they run'}.`,
    (count: number, devices: string) =>
      `${devices}: was ${count === 1 ? 'es ausführt' : 'sie ausführen'}, ist nicht bekannt.`,
  ],
  ask: [
    (action: string, version: string) => `${action} bundle ${version}?`,
    (action: string, version: string) => `Bundle ${version}: ${action}?`,
  ],
  moved: [
    {
      published: (version: string) => `Bundle ${version} is published`,
      archive: (version: string) => `Bundle ${version} is archived`,
      trash: (version: string) => `Bundle ${version} is deleted`,
    },
    {
      published: (version: string) => `Bundle ${version} ist veröffentlicht`,
      archive: (version: string) => `Bundle ${version} ist archiviert`,
      trash: (version: string) => `Bundle ${version} ist gelöscht`,
    },
  ],
  stillHaveIt: [
    (offered: string, installed: string) =>
      `${offered} had it offered last and ${installed} reported it installed; they keep running what they run.`,
    (offered: string, installed: string) =>
      `Zuletzt angeboten wurde es: ${offered}; als installiert gemeldet: ${installed}. Sie führen weiter aus, was sie ausführen.`,
  ],
});
