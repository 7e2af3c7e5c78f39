import { formatCount, plural } from './format.ts';
import { texts } from './language.ts';
import { nouns } from './nouns.ts';

/** One device or many: the words that follow from it. */
const english = (devices: number) =>
  devices === 1
    ? { they: 'it', keep: 'keeps', are: 'is', get: 'gets', ask: 'asks' }
    : { they: 'they', keep: 'keep', are: 'are', get: 'get', ask: 'ask' };

const german = (devices: number) =>
  devices === 1
    ? { they: 'es', keep: 'behält', are: 'ist', get: 'bekommt', ask: 'fragt' }
    : { they: 'sie', keep: 'behalten', are: 'sind', get: 'bekommen', ask: 'fragen' };

/** A group of devices: how many there are, how many of them have nothing to do, and its tag. */
interface Group {
  readonly devices: number;
  readonly running: number;
  readonly tag: string;
}

/** What giving a bundle a tag does, in sentences. */
export const t = texts({
  whom: [
    ({ devices, tag }: Group) => `${plural(devices, nouns.device)} ${tag === '' ? 'without a tag' : `with tag ${tag}`}`,
    ({ devices, tag }: Group) => `${plural(devices, nouns.device)} ${tag === '' ? 'ohne Tag' : `mit Tag ${tag}`}`,
  ],
  someAreThere: [
    ({ running }: Group) => `; ${formatCount(running)} of them ${running === 1 ? 'runs' : 'run'} it already`,
    ({ running }: Group) => `; ${formatCount(running)} davon ${running === 1 ? 'führt' : 'führen'} es schon aus`,
  ],
  allAreThere: [
    ({ devices }: Group) => `, where ${english(devices).they} ${english(devices).are} already`,
    ({ devices }: Group) => `, wo ${german(devices).they} schon ${german(devices).are}`,
  ],
  anotherBundle: ['another bundle', 'einem anderen Bundle'],
  keepsWhatRuns: [
    ({ devices }: Group) => `offered nothing any more; ${english(devices).they} ${english(devices).keep} what runs`,
    ({ devices }: Group) => `kein Angebot mehr; ${german(devices).they} ${german(devices).keep}, was läuft`,
  ],
  to: [(to: string) => `to ${to}`, (to: string) => `zu ${to}`],
  fromTo: [(from: string, to: string) => `from ${from} to ${to}`, (from: string, to: string) => `von ${from} zu ${to}`],
  movesNone: ['This moves no device.', 'Das bewegt kein Gerät.'],
  moves: [
    (moved: number) =>
      `This moves ${plural(moved, nouns.device)}: ${english(moved).they} ${english(moved).get} the update when ${english(moved).they} ${english(moved).ask} for one. ` +
      'Those that update themselves are told now, and ask within half a minute.',
    (moved: number) =>
      `Das bewegt ${plural(moved, nouns.device)}: ${german(moved).they} ${german(moved).get} das Update, wenn ${german(moved).they} danach ${german(moved).ask}. ` +
      'Wer sich selbst aktualisiert, erfährt es sofort und fragt in spätestens einer halben Minute.',
  ],
});
