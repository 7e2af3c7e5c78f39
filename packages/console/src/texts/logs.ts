import { texts } from './language.ts';

export const t = texts({
  person: ['Person (user name)', 'Person (Benutzername)'],
  loginSession: ['Login session', 'Sitzung'],
  data: ['Data', 'Daten'],
  lastHour: ['Last hour', 'Letzte Stunde'],
  lastDay: ['Last day', 'Letzter Tag'],
  last7Days: ['Last 7 days', 'Letzte 7 Tage'],
  last30Days: ['Last 30 days', 'Letzte 30 Tage'],
  level: ['Level', 'Stufe'],
  message: ['Message', 'Nachricht'],
  allDevices: ['All devices', 'Alle Geräte'],
  noSuchDevice: ['No such device', 'Kein solches Gerät'],
  filtersOfLog: ['Filters of the log', 'Filter des Logs'],
  searchMessages: ['Search the messages', 'Nachrichten durchsuchen'],
  partOfMessage: ['Part of a message', 'Teil einer Nachricht'],
  allProducts: ['All products', 'Alle Produkte'],
  whatYouDidAndWhat: [
    'What you did, and what happened to your devices and products. Update checks and messages are listed when their type is chosen.',
    'Was du getan hast und was mit deinen Geräten und Produkten geschehen ist. Update-Abfragen und Nachrichten erscheinen, wenn ihr Typ gewählt ist.',
  ],
  noEntryFitsFilters: ['No entry fits the filters', 'Kein Eintrag passt zu den Filtern'],
  whatYouDoAndWhat: [
    'What you do, and what your devices do, is listed here.',
    'Was du tust und was deine Geräte tun, steht dann hier.',
  ],
  nothingHasHappenedYet: ['Nothing has happened yet', 'Es ist noch nichts geschehen'],
  allOf: [(label: string) => `All ${label.toLowerCase()}s`, (label: string) => `${label}: alle`],
  entry: ['Entry', 'Eintrag'],
});
