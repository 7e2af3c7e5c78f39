import { texts } from './language.ts';

export const t = texts({
  found: ['Found on your network', 'In deinem Netz gefunden'],
  whatFoundIs: [
    'Real modules that a gateway of yours sees and does not stand for yet. Finding them has changed nothing on them.',
    'Echte Module, die ein Gateway von dir sieht und noch nicht vertritt. Beim Finden hat sich an ihnen nichts geändert.',
  ],
  network: ['Network', 'Netz'],
  signal: [(dbm: number) => `${dbm} dBm`, (dbm: number) => `${dbm} dBm`],
  gateway: ['Gateway', 'Gateway'],
  andMore: [(count: string) => `and ${count} more`, (count: string) => `und ${count} weitere`],
  adopt: ['Adopt …', 'Aufnehmen …'],
  adoptAt: [(address: string) => `Adopt … ${address}`, (address: string) => `Aufnehmen … ${address}`],
  adoptTitle: [(address: string) => `Adopt ${address}`, (address: string) => `${address} aufnehmen`],
  adoptAction: ['Adopt', 'Aufnehmen'],
  whatAdoptingIs: [
    'The module becomes a device of this product; it needs the platform of its hardware. Nothing on it changes until you publish a bundle for the product.',
    'Das Modul wird ein Gerät dieses Produkts; das braucht die Plattform seiner Hardware. An ihm ändert sich nichts, bis du für das Produkt ein Bundle veröffentlichst.',
  ],
  wantsPassword: [
    'It wants a password, which only the gateway may know. On its machine:',
    'Es verlangt ein Passwort, das nur das Gateway kennen darf. Auf dessen Rechner:',
  ],
  asked: [
    (product: string) => `The gateway adopts it for ${product}`,
    (product: string) => `Das Gateway nimmt es für ${product} auf`,
  ],
  real: ['A real module, behind a gateway', 'Ein echtes Modul hinter einem Gateway'],
  reachedAt: [
    (address: string) => `The gateway reaches its command line at ${address}.`,
    (address: string) => `Das Gateway erreicht seine Befehlszeile unter ${address}.`,
  ],
  can: ['What works', 'Was geht'],
  canCommands: [
    'Its command line in the console, one line at a time',
    'Seine Befehlszeile in der Konsole, Zeile für Zeile',
  ],
  canUpdate: [
    'Updates with files and setup scripts: after a backup, each file read back, done when the module answers again',
    'Updates mit Dateien und Setup-Skripten: nach einer Sicherung, jede Datei zurückgelesen, fertig, wenn das Modul wieder antwortet',
  ],
  canWatch: [
    'Whether it answers, its signal, uptime and flash; what it measures, once you say below which commands read it',
    'Ob es antwortet, sein Signal, seine Laufzeit und sein Flash; was es misst, sobald du unten sagst, welche Befehle es lesen',
  ],
  cannot: ['What does not, and why', 'Was nicht geht, und warum'],
  cannotData: [
    'Commands that carry data, such as file_create: a cut would leave the module waiting for the rest',
    'Befehle mit Daten wie file_create: Nach einem Abbruch würde das Modul auf den Rest warten',
  ],
  cannotFirmware: [
    'Updates with firmware: no command of a module writes it',
    'Updates mit Firmware: Kein Befehl eines Moduls schreibt sie',
  ],
  cannotData2: [
    'Controls and messages: the module does not know this service',
    'Steuerungen und Nachrichten: Das Modul kennt diesen Dienst nicht',
  ],
  streams: ['What it measures', 'Was es misst'],
  whatStreamsAre: [
    'A capabilities file in which each stream has the command that reads it: get, gpio_get, gpios_get, adc or wlan_get_rssi. The gateway asks the module every minute. A pin that adc reads becomes an analog input.',
    'Eine Capabilities-Datei, in der jeder Stream den Befehl hat, der ihn liest: get, gpio_get, gpios_get, adc oder wlan_get_rssi. Das Gateway fragt das Modul jede Minute. Ein Pin, den adc liest, wird ein analoger Eingang.',
  ],
  streamsAreNoJson: ['It is no JSON', 'Es ist kein JSON'],
  saveStreams: ['Save what it measures', 'Speichern, was es misst'],
  streamsSaved: [
    'Saved. Its gateway asks for it within a minute.',
    'Gespeichert. Sein Gateway fragt innerhalb einer Minute danach.',
  ],
  streamsRefused: ['The gateway does not take what was saved', 'Das Gateway nimmt das Gespeicherte nicht'],
  backups: ['Backups', 'Sicherungen'],
  whatBackupsAre: [
    'A gateway keeps a rescue archive before each update: variables, files and lists of the module, without passwords.',
    'Ein Gateway behält vor jedem Update ein Rettungsarchiv: Variablen, Dateien und Listen des Moduls, ohne Passwörter.',
  ],
  backup: ['Backup', 'Sicherung'],
  download: [(name: string) => `Download ${name}`, (name: string) => `Herunterladen: ${name}`],
  twin: ['Make a twin …', 'Zwilling anlegen …'],
  twinOf: [(name: string) => `Make a twin … ${name}`, (name: string) => `Zwilling anlegen … ${name}`],
  twinTitle: ['Make a twin', 'Zwilling anlegen'],
  whatTwinIs: [
    'A virtual module with the variables, files and texts of this backup, to try things on. Download the archive, then:',
    'Ein virtuelles Modul mit den Variablen, Dateien und Texten dieser Sicherung, um etwas auszuprobieren. Archiv herunterladen, dann:',
  ],
  older: ['Older backup', 'Ältere Sicherung'],
  newer: ['Newer backup', 'Neuere Sicherung'],
  compare: ['Compare', 'Vergleichen'],
  differences: ['Differences', 'Unterschiede'],
  noDifference: ['Variables and files are the same', 'Variablen und Dateien sind gleich'],
  measuredAside: [
    'Clocks, counters and what is measured differ each time.',
    'Uhren, Zähler und Gemessenes unterscheiden sich jedes Mal.',
  ],
  variableOrFile: ['Variable or file', 'Variable oder Datei'],
  isNone: ['Not an archive of a module', 'Kein Archiv eines Moduls'],
  fileOf: [(size: string, crc: string) => `${size}, CRC ${crc}`, (size: string, crc: string) => `${size}, CRC ${crc}`],
});
