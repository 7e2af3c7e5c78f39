import { texts } from './language.ts';

export const t = texts({
  loadingDevices: ['Loading the devices', 'Geräte werden geladen'],
  devicesOfAlert: ['Devices of the alert', 'Geräte des Alarms'],
  itStillIs: ['it still is', 'noch immer'],
  firstOfAreShown: [
    (length: number, total: string) => `The first ${length} of ${total} are shown.`,
    (length: number, total: string) => `Gezeigt werden die ersten ${length} von ${total}.`,
  ],
  looksAfterIt: [(part: string) => `${part} looks after it`, (part: string) => `${part} kümmert sich darum`],
  deletedUser: ['a deleted user', 'eine gelöschte Person'],
  alertIsYoursToLook: ['The alert is yours to look after', 'Du kümmerst dich jetzt um den Alarm'],
  acknowledge: ['Acknowledge', 'Bestätigen'],
  acknowledgeRule: [(rule: string) => `Acknowledge ${rule}`, (rule: string) => `${rule} bestätigen`],
  alert: ['Alert', 'Alarm'],
  of: [
    (devices_open: number, devices: number) => `${devices_open} of ${devices}`,
    (devices_open: number, devices: number) => `${devices_open} von ${devices}`,
  ],
  devicesOf: [
    (count: string, rule: string) => `${count}: devices of ${rule}`,
    (count: string, rule: string) => `${count}: Geräte von ${rule}`,
  ],
  over: ['Over', 'Beendet'],
  silence: ['Silence …', 'Stummschalten …'],
  silenceRule: [(rule: string) => `Silence ${rule}`, (rule: string) => `${rule} stummschalten`],
  whatHasGoneWrongOn: [
    'What has gone wrong on the devices of your products, by the rules of each product.',
    'Was auf den Geräten deiner Produkte schiefgegangen ist, nach den Regeln jedes Produkts.',
  ],
  stateOfAlert: ['State of the alert', 'Status des Alarms'],
  allAlerts: ['All alerts', 'Alle Alarme'],
  open: ['Open', 'Offen'],
  rulesAreMadeOnPage: [
    'Rules are made on the page of a product, under "Settings", "Alerts": devices that are silent, updates that fail, streams beyond a limit.',
    'Regeln entstehen auf der Seite eines Produkts unter „Einstellungen“, „Alarme“: Geräte, die schweigen, Updates, die fehlschlagen, Streams jenseits einer Grenze.',
  ],
  thereIsNoAlert: ['There is no alert', 'Es gibt keinen Alarm'],
  alertsNoneIsNew: ['Alerts: none is new', 'Alarme: keiner ist neu'],
  alerts: [(count: string) => `Alerts: ${count}`, (count: string) => `Alarme: ${count}`],
  n1Hour: ['1 hour', '1 Stunde'],
  n4Hours: ['4 hours', '4 Stunden'],
  n1Day: ['1 day', '1 Tag'],
  n7Days: ['7 days', '7 Tage'],
  isSilent: [(title: string) => `"${title}" is silent`, (title: string) => `„${title}“ ist stummgeschaltet`],
  silence2: ['Silence', 'Stummschalten'],
  whatItFindsIsRecorded: [
    'What it finds is recorded all the same. What is open afterwards is told then.',
    'Was sie findet, wird trotzdem aufgezeichnet. Was danach noch offen ist, wird dann gemeldet.',
  ],
  silenceTitle: [(title: string) => `Silence "${title}"`, (title: string) => `„${title}“ stummschalten`],
});
