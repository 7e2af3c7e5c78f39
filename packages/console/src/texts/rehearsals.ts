import type { RehearsalMetric, RehearsalVariant } from '@moorage/api';
import { texts } from './language.ts';

export const t = texts({
  rehearse: ['Rehearse …', 'Proben …'],
  rehearseIt: ['Rehearse it', 'Proben'],
  rehearsals: ['Rehearsals', 'Proben'],
  rehearsalOf: [(title: string) => `Rehearsal: ${title}`, (title: string) => `Probe: ${title}`],
  runsOnTwins: [
    'The rollout runs on twins: virtual modules like those of the fleet, with the files of the bundle, in virtual time. No device is touched.',
    'Der Rollout läuft auf Zwillingen: virtuellen Modulen wie denen der Flotte, mit den Dateien des Bundles, in virtueller Zeit. Kein Gerät wird angerührt.',
  ],
  twins: ['Twins', 'Zwillinge'],
  twinsHint: ['200 in 3 runs take a minute or two', '200 in 3 Läufen brauchen ein bis zwei Minuten'],
  runs: ['Runs', 'Läufe'],
  runsHint: ['Each with other chances: figures get a range', 'Jeder mit anderen Zufällen: Zahlen bekommen eine Spanne'],
  compare: ['Compare with other settings', 'Mit anderen Einstellungen vergleichen'],
  compareHint: [
    'Half the pace, slower gates, one stage; takes several times as long',
    'Halbes Tempo, langsamere Tore, eine Stufe; dauert ein Mehrfaches',
  ],
  scenario: ['Scenario', 'Szenario'],
  scenarioHint: [
    'JSON, as for “moorage fleet”: what the twins are and have to bear. Without one they are like the fleet',
    'JSON, wie für „moorage fleet“: was die Zwillinge sind und aushalten müssen. Ohne sind sie wie die Flotte',
  ],
  noJsonObject: ['This is no JSON object', 'Das ist kein JSON-Objekt'],
  begun: ['The rehearsal has begun', 'Die Probe hat begonnen'],
  number: ['No.', 'Nr.'],
  result: ['Result', 'Ergebnis'],
  twinsAndRuns: [
    (twins: number, runs: number) => `${twins} twins, ${runs} ${runs === 1 ? 'run' : 'runs'}`,
    (twins: number, runs: number) => `${twins} Zwillinge, ${runs} ${runs === 1 ? 'Lauf' : 'Läufe'}`,
  ],
  progress: [
    (number: number) => `Progress of rehearsal ${number}`,
    (number: number) => `Fortschritt von Probe ${number}`,
  ],
  stop: [(number: number) => `Stop rehearsal ${number}`, (number: number) => `Probe ${number} beenden`],
  remove: [(number: number) => `Delete rehearsal ${number}`, (number: number) => `Probe ${number} löschen`],
  show: [(number: number) => `Show rehearsal ${number}`, (number: number) => `Probe ${number} zeigen`],
  whole: ['The whole report', 'Der ganze Bericht'],
  measured: ['Measured', 'Gemessen'],
  meanAndRange: ['Mean (range)', 'Mittel (Spanne)'],
  figuresOf: [(number: number) => `Figures of rehearsal ${number}`, (number: number) => `Zahlen von Probe ${number}`],
  never: ['not', 'nicht'],
  inSomeNot: [
    (least: string) => `${least} and more; in some runs not`,
    (least: string) => `${least} und mehr; in manchen Läufen nicht`,
  ],
  range: [
    (mean: string, least: string, most: string) => `${mean} (${least} to ${most})`,
    (mean: string, least: string, most: string) => `${mean} (${least} bis ${most})`,
  ],
  hours: [(hours: string) => `${hours} h`, (hours: string) => `${hours} h`],
  percent: [(share: string) => `${share} %`, (share: string) => `${share} %`],
  theseSettings: ['These settings', 'Diese Einstellungen'],
  takenForGranted: ['Taken for granted', 'Vorausgesetzt'],
});

/** What runs are judged by. */
export const metricNames: Readonly<Record<RehearsalMetric, string>> = texts({
  reached_before_abort: ['Offered it before it stopped by itself', 'Angeboten, bevor er von selbst hielt'],
  reached: ['Offered it in all', 'Insgesamt angeboten'],
  done: ['Run it', 'Haben es'],
  failed: ['Failed', 'Fehlgeschlagen'],
  half: ['Until half are done', 'Bis die Hälfte fertig ist'],
  most: ['Until 90 % are done', 'Bis 90 % fertig sind'],
  nearly_all: ['Until 99 % are done', 'Bis 99 % fertig sind'],
  peak_polls: ['Polls in the busiest second', 'Anfragen in der vollsten Sekunde'],
  peak_bytes: ['Bytes in the busiest second', 'Bytes in der vollsten Sekunde'],
});

/** Settings that it is compared with. */
export const variantNames: Readonly<Record<RehearsalVariant, string>> = texts({
  half_pace: ['Half the pace', 'Halbes Tempo'],
  slow_gates: ['Gates that wait twice as long', 'Tore, die doppelt so lange warten'],
  at_once: ['All in one stage', 'Alle in einer Stufe'],
});
