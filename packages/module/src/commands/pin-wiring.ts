import { PinDuties } from '../device/pin-duties.ts';
import type { WakeSources } from '../device/power.ts';
import { execute } from '../interpreter/execute.ts';
import { initialPin, sleepingPins } from '../variables/directions.ts';
import { joinResults } from '../wlan/join-table.ts';
import type { Board } from './board.ts';

/** What a board does with its pins by itself, tied to its variables and its network. */
export function pinDutiesOf(board: Board): PinDuties {
  const { clock, pinRoles: roles, pins, variables, wlan } = board;
  return new PinDuties({
    clock,
    pins,
    roles,
    initialPins: () => initialPins(board),
    indicator: (subsystem) => ({
      pin: variables.getAt('system.indicator.gpio', subsystem),
      patterns: variables.getAt('system.indicator.state', subsystem),
    }),
    signs: () => ({
      status: wlan.status,
      failed: failedJoins.has(wlan.joinResult),
      softApUp: wlan.softAp !== undefined,
    }),
    watchSigns: (changed) => wlan.watch({ changed }),
    setupAtAnyTime: () => variables.get('setup.gpio.mode') === 'runtime',
    runSetup: () => void runAlone(board, variables.get('setup.gpio.cmd')),
    factoryReset: () => {
      const reset = (): Promise<void> => board.factoryReset();
      void (board.queue.run(reset) ?? reset());
    },
  });
}

/** Values of `wlan.join.result` that the LED shows as an error; a join that was ended by hand is none. */
const failedJoins: ReadonlySet<number> = new Set([
  joinResults['no-ssid'],
  joinResults['no-passkey'],
  joinResults['bad-security'],
  joinResults['not-found'],
  joinResults.failed,
]);

/** Entries of `gpio.init` that are set. Spec: MOD-VAR-gpio.init. */
function* initialPins({ model, variables }: Board) {
  for (let pin = 0; pin < model.gpioCount; pin++) {
    const initial = initialPin(variables.getAt('gpio.init', pin));
    if (initial) yield { pin, ...initial };
  }
}

/** Gives the pins the states that they have while the module sleeps, whatever function has them awake. Spec: MOD-VAR-gpio.sleep. */
export function putPinsToSleep({ model, pins, variables }: Board): void {
  for (let pin = 0; pin < model.gpioCount; pin++) {
    const state = sleepingPins[variables.getAt('gpio.sleep', pin)];
    if (!state) continue;
    // The boot that ends the sleep gives every pin back.
    pins.deregister(pin);
    pins.register(pin, state.direction, state.level);
  }
}

/** Nobody typed the command, so its answer is a line of the log. Spec: MOD-VAR-setup.gpio.cmd. */
export async function runAlone(board: Board, command: string): Promise<void> {
  const { text } = await execute<Board>(board, command);
  if (text !== '') board.log.line(text);
}

/** What ends sleep. Spec: MOD-VAR-system.wakeup.timeout, MOD-VAR-system.wakeup.events. */
export function wakeSources({ model, variables }: Board): WakeSources {
  const named = Array.from(variables.get('system.wakeup.events').matchAll(/\d+/g), ([pin]) => Number(pin));
  return {
    timeoutMs: variables.get('system.wakeup.timeout') * 1000,
    pins: named.filter((pin) => pin < model.gpioCount),
  };
}
