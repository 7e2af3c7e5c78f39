import { plural } from './format.ts';
import { texts } from './language.ts';
import { nouns } from './nouns.ts';

/** One device or many: the words that follow from it. */
const english = (devices: number) =>
  devices === 1 ? { they: 'it', get: 'gets', ask: 'asks' } : { they: 'they', get: 'get', ask: 'ask' };

const german = (devices: number) =>
  devices === 1 ? { they: 'es', get: 'bekommt', ask: 'fragt' } : { they: 'sie', get: 'bekommen', ask: 'fragen' };

interface Path {
  readonly devices: number;
  readonly from: string | null;
  readonly to: string;
}

interface Out {
  readonly devices: number;
  /** As the service says it. */
  readonly why: string;
}

const reasons: Readonly<Record<string, readonly [english: string, german: string]>> = {
  blocked: ['blocked', 'gesperrt'],
  frozen: ['in a frozen product', 'in einem eingefrorenen Produkt'],
  pinned: ['held where they are', 'festgehalten'],
  rollout: ['held by a rollout', 'von einem Rollout gehalten'],
  overtaken: ['taken by another rollout', 'bei einem anderen Rollout'],
  nothing: ['offered nothing any more', 'ohne Angebot'],
};
const reason = (why: string, language: 0 | 1): string => reasons[why]?.[language] ?? why;

/** What a change does to the devices of a product, in sentences. */
export const t = texts({
  path: [
    ({ devices, from, to }: Path) =>
      `${plural(devices, nouns.device)}: ${from === null ? '' : `from ${from} `}to ${to}`,
    ({ devices, from, to }: Path) => `${plural(devices, nouns.device)}: ${from === null ? '' : `von ${from} `}zu ${to}`,
  ],
  there: [
    (devices: number) => `${plural(devices, nouns.device)}: there already`,
    (devices: number) => `${plural(devices, nouns.device)}: schon dort`,
  ],
  out: [
    ({ devices, why }: Out) => `${plural(devices, nouns.device)}: ${reason(why, 0)}`,
    ({ devices, why }: Out) => `${plural(devices, nouns.device)}: ${reason(why, 1)}`,
  ],
  unseen: [
    (devices: number) => `${plural(devices, nouns.device)} of those that move: not seen for 7 days`,
    (devices: number) => `${plural(devices, nouns.device)} von denen, die es bewegt: seit 7 Tagen nicht gesehen`,
  ],
  flash: [
    (devices: number) => `${plural(devices, nouns.device)} of those that move: too little free flash`,
    (devices: number) => `${plural(devices, nouns.device)} von denen, die es bewegt: zu wenig freier Flash`,
  ],
  movesNone: ['This moves no device.', 'Das bewegt kein Gerät.'],
  moves: [
    (moved: number) =>
      `This moves ${plural(moved, nouns.device)}: ${english(moved).they} ${english(moved).get} the update when ${english(moved).they} ${english(moved).ask} for one.`,
    (moved: number) =>
      `Das bewegt ${plural(moved, nouns.device)}: ${german(moved).they} ${german(moved).get} das Update, wenn ${german(moved).they} danach ${german(moved).ask}.`,
  ],
  offeredBy: [
    (time: string) => `All of them should have asked by ${time}`,
    (time: string) => `Alle sollten bis ${time} gefragt haben`,
  ],
  whatThisDoes: ['What this does', 'Was das bewirkt'],
  countingDevices: ['Counting the devices', 'Geräte werden gezählt'],
});
