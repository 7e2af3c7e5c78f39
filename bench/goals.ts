/** What is asked of a finding, by its label: of its figure, of its ratio to what stands beside it, or nothing. */
interface Goal {
  readonly figure?: Bound;
  readonly ratio?: Bound;
}

export type Bound = { readonly atLeast: number } | { readonly atMost: number };

const atLeast = (value: number): Bound => ({ atLeast: value });
const atMost = (value: number): Bound => ({ atMost: value });

export const goals: Readonly<Record<string, Goal>> = {
  'update queries, sqlite': { ratio: atLeast(0.45) },
  'slowest of a hundred of them, sqlite': { figure: atMost(25) },
  'update queries, postgres': { ratio: atLeast(0.3) },
  'slowest of a hundred of them, postgres': { figure: atMost(25) },
  'a device by uuid, sqlite': { ratio: atLeast(0.35) },
  'a device by uuid, postgres': {},
  'samples in batches of 50, sqlite': { figure: atLeast(50_000) },
  'samples in batches of 50, postgres': { figure: atLeast(80_000) },
  'filtered device list, sqlite': { figure: atMost(8) },
  'filtered device list, postgres': { figure: atMost(8) },
  'device search, sqlite': { figure: atMost(10) },
  'device search, postgres': { figure: atMost(10) },
  'bundle list with counts, sqlite': { figure: atMost(5) },
  'bundle list with counts, postgres': { figure: atMost(5) },
  'login, sqlite': {},
  'login, postgres': {},
  'start with this data, sqlite': { figure: atMost(2_000) },
  'start with this data, postgres': { figure: atMost(2_000) },
  'download of 16 MiB': { ratio: atLeast(1) },
  'memory of a stalled download': { figure: atMost(256) },
  'update file of 4 MiB, TLS': { ratio: atLeast(0.8) },
  'upload of 16 MiB': { ratio: atLeast(0.7) },
  'memory of a half-way upload': { figure: atMost(256) },
  // The state of TLS itself is Node's and OpenSSL's: it is shown, and not promised.
  'memory of an idle channel, plain': { figure: atMost(20) },
  'memory of an idle channel, TLS': {},
  'a command, one session': { ratio: atMost(1.5) },
  'a command, 50 sessions': { ratio: atMost(1.5) },
  'file_create of 1 MiB': { ratio: atLeast(0.5) },
  'stream_read of 64 KiB': { ratio: atLeast(0.5) },
  '1 MiB by stream_read': { ratio: atLeast(0.5) },
  'memory of an idle module': { figure: atMost(40) },
  'boot of a module': { figure: atMost(50) },
  '`moorage up` to the first update': { figure: atMost(10_000) },
  'first page of the console': { figure: atMost(1_000) },
};
