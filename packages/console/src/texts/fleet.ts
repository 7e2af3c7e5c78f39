import { texts } from './language.ts';

export const t = texts({
  approve: ['Approve', 'Freigeben'],
  itBeginsWithYourApproval: [
    (bundle: string) => `It begins, now or at its time: devices of the first stage are offered version ${bundle}.`,
    (bundle: string) =>
      `Er beginnt, jetzt oder zu seiner Zeit: Geräten der ersten Stufe wird Version ${bundle} angeboten.`,
  ],
  reject: ['Reject', 'Ablehnen'],
  itIsDraftAgain: [
    'It is a draft again, which its author can start anew.',
    'Er ist wieder ein Entwurf, den sein Autor neu starten kann.',
  ],
  cancel: ['Cancel it', 'Absagen'],
  itNeverBegins: [
    'It never begins, and this cannot be taken back.',
    'Er beginnt nie, und das lässt sich nicht zurücknehmen.',
  ],
  giveSignal: ['Give the signal', 'Signal geben'],
  nextStageMayBegin: [
    'The next stage may begin, as if the signal had come from outside.',
    'Die nächste Stufe darf beginnen, als wäre das Signal von außen gekommen.',
  ],
  settings: ['Settings', 'Einstellungen'],
  own: ['Own: stages and safety as below', 'Eigene: Stufen und Sicherheit wie unten'],
  careful: ['Careful', 'Vorsichtig'],
  carefulDoes: [
    '1 %, 10 %, 50 %, then all, a day between; pauses when 5 % fail.',
    '1 %, 10 %, 50 %, dann alle, mit je einem Tag dazwischen; pausiert, wenn 5 % fehlschlagen.',
  ],
  officeHours: ['Office hours', 'Bürozeiten'],
  officeHoursDoes: [
    '10 %, then all, Monday to Friday from 9 to 17 where the device is; pauses when 5 % fail.',
    '10 %, dann alle, Montag bis Freitag von 9 bis 17 Uhr am Ort des Geräts; pausiert, wenn 5 % fehlschlagen.',
  ],
  atOnce: ['At once', 'Sofort'],
  atOnceDoes: [
    'All devices; pauses when 2 % of 50 or more fail.',
    'Alle Geräte; pausiert, wenn 2 % von 50 oder mehr fehlschlagen.',
  ],
  ofProduct: ['Those of the product', 'Die des Produkts'],
  ofProductDoes: [
    'What the product says of rollouts that name no settings.',
    'Was das Produkt über Rollouts ohne eigene Einstellungen sagt.',
  ],
  defaultOfRollouts: ['Settings of new rollouts', 'Einstellungen neuer Rollouts'],
  rolloutsThatNameNone: [
    'Rollouts that name no settings take these.',
    'Rollouts ohne eigene Einstellungen nehmen diese.',
  ],
  noTemplate: ['None: each names its own', 'Keine: Jeder nennt seine eigenen'],
  ownOnes: ['Ones that a program has set', 'Von einem Programm gesetzte'],
  defaultIsSet: ['The settings of new rollouts are kept', 'Die Einstellungen neuer Rollouts sind gespeichert'],
  stopOfEverything: ['Emergency stop of everything', 'Notstopp für alles'],
  everyRolloutOfAllPauses: [
    'Every rollout of every product pauses, and nothing new is offered to any device until the stop is lifted. Updates that are under way go on.',
    'Jeder Rollout jedes Produkts pausiert, und keinem Gerät wird etwas Neues angeboten, bis der Stopp aufgehoben ist. Laufende Updates gehen weiter.',
  ],
  everythingIsFrozen: [
    (paused: string) => `Everything is frozen, and ${paused} paused`,
    (paused: string) => `Alles ist eingefroren, ${paused} pausiert`,
  ],
  liftStop: ['Lift the stop', 'Stopp aufheben'],
  productsThaw: [
    'Products that the stop of everything has frozen thaw. Rollouts stay paused until each is resumed.',
    'Produkte, die der Notstopp für alles eingefroren hat, tauen auf. Rollouts bleiben pausiert, bis jeder fortgesetzt wird.',
  ],
  stopIsLifted: ['The stop is lifted', 'Der Stopp ist aufgehoben'],
});
