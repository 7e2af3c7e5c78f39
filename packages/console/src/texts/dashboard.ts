import { texts } from './language.ts';

export const t = texts({
  dashboard: ['Dashboard', 'Dashboard'],
  whereDevicesAre: ['Where devices are', 'Wo die Geräte sind'],
  around: [(city: string) => `around ${city}`, (city: string) => `bei ${city}`],
  mapOfWorldWith: [
    (devices: string) => `Map of the world with ${devices}`,
    (devices: string) => `Weltkarte mit ${devices}`,
  ],
  and: [(part: string) => `and ${part}`, (part: string) => `und ${part}`],
  noDeviceHasLocationYet: [
    'No device has a location yet. Give it one with "Edit" on the page of the device.',
    'Noch kein Gerät hat einen Standort. Er wird über „Bearbeiten“ auf der Seite des Geräts angegeben.',
  ],
  hardwareThatYouBuildFor: [
    'The hardware that you build for, with the firmware that it runs.',
    'Die Hardware, für die gebaut wird, mit der Firmware, die darauf läuft.',
  ],
  administratorAddsHardwareThatYou: [
    'An administrator adds the hardware that you build for, with its firmware.',
    'Die Verwaltung legt die Hardware an, für die gebaut wird, mit ihrer Firmware.',
  ],
  addItsFirmware: ['Add its firmware', 'Firmware hinzufügen'],
  addPlatform: ['Add a platform', 'Plattform hinzufügen'],
  whatAllDevicesOfOne: ['What all devices of one model share.', 'Was alle Geräte eines Modells gemeinsam haben.'],
  createProduct: ['Create a product', 'Produkt erstellen'],
  versionOfProductDropFiles: [
    'A version of the product: drop files into it, publish it, and tag it "release".',
    'Eine Version des Produkts: Dateien hineinziehen, veröffentlichen und das Tag „release“ geben.',
  ],
  makeAndPublishBundle: ['Make and publish a bundle', 'Bundle erstellen und veröffentlichen'],
  provisionOneOrClaimOne: [
    'Provision one, or claim one that has its certificate already, and activate it to the product.',
    'Eines provisionieren oder eines beanspruchen, das schon ein Zertifikat hat, und für das Produkt aktivieren.',
  ],
  addDevice: ['Add a device', 'Gerät hinzufügen'],
  firstUpdate: ['First update', 'Erstes Update'],
  typeOtaOnCommandLine: [
    'Type "ota" on the command line of the module, or wait until it asks by itself.',
    'Auf der Kommandozeile des Moduls „ota“ eingeben oder warten, bis es von selbst fragt.',
  ],
  toDevices: ['To the devices', 'Zu den Geräten'],
  done: [', done', ', erledigt'],
  firstSteps: ['First steps', 'Erste Schritte'],
  noVersionReported: ['no version reported', 'keine Version gemeldet'],
  andWithOtherVersions: [
    (others: string) => `and ${others} with other versions`,
    (others: string) => `und ${others} mit anderen Versionen`,
  ],
  devicesByState: ['Devices by state', 'Geräte nach Status'],
  theirStatesUpdatesAndVersions: [
    'Their states, updates and versions are shown here once you have some.',
    'Ihr Status, ihre Updates und Versionen stehen hier, sobald es welche gibt.',
  ],
  noDevicesYet: ['No devices yet', 'Noch keine Geräte'],
  updates: ['Updates', 'Updates'],
  howDevicesStandToWhat: ['How devices stand to what they should run', 'Wie Geräte zu dem stehen, was laufen soll'],
  versionsAcrossFleet: ['Versions across the fleet', 'Versionen in der Flotte'],
  recentLog: ['Recent log', 'Letzte Ereignisse'],
  allLogs: ['All logs', 'Alle Logs'],
  whatYouAndYourDevices: [
    'What you and your devices do is told here.',
    'Was du und deine Geräte tun, steht dann hier.',
  ],
  nothingHasHappenedYet: ['Nothing has happened yet', 'Es ist noch nichts geschehen'],
  n24Hours: ['24 hours', '24 Stunden'],
  n30Days: ['30 days', '30 Tage'],
  year: ['Year', 'Jahr'],
  updatesOverTime: ['Updates over time', 'Updates im Zeitverlauf'],
  timeSpan: ['Time span', 'Zeitraum'],
  landedAndFailed: [
    (landed: string, failed: string) => `${landed} landed and ${failed} failed`,
    (landed: string, failed: string) => `${landed} gelungen und ${failed} fehlgeschlagen`,
  ],
  per: [
    (summary: string, interval: string) => `${summary}, per ${interval}`,
    (summary: string, interval: string) => `${summary}, je ${interval}`,
  ],
  landed: ['Landed', 'Gelungen'],
  inLast24Hours: ['in the last 24 hours', 'in den letzten 24 Stunden'],
  inLast30Days: ['in the last 30 days', 'in den letzten 30 Tagen'],
  inLastYear: ['in the last year', 'im letzten Jahr'],
  intervals: [
    { hour: 'hour', day: 'day', week: 'week' },
    { hour: 'Stunde', day: 'Tag', week: 'Woche' },
  ],
});
