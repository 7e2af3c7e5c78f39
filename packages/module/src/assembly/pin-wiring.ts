import { unwrap } from '@moorage/base';
import type { Board } from '../commands/board.ts';
import { inBackground } from '../device/background.ts';
import { PinDuties } from '../device/pin-duties.ts';
import { PinRoles } from '../device/pin-roles.ts';
import type { WakeSources } from '../device/power.ts';
import type { ServiceParts } from '../services/service.ts';
import { initialPin, sleepingPins } from '../variables/directions.ts';
import { joinResults } from '../wlan/join-table.ts';
import type { BootFacts } from './boot-facts.ts';

/** The pins that variables name; `system.oob.gpio` counts as it was at boot. */
export const pinRolesOf = ({
  facts,
  pins,
  variables,
}: Pick<ServiceParts, 'pins' | 'variables'> & { readonly facts: BootFacts }): PinRoles =>
  new PinRoles(pins, (role) => (role === 'system.oob.gpio' ? facts.outOfBand.pin : variables.get(role)));

type PinDutyParts = Pick<ServiceParts, 'clock' | 'log' | 'model' | 'pinRoles' | 'pins' | 'variables' | 'wlan'> & {
  /** The module, which pins set up and reset. */
  readonly user: Pick<Board, 'factoryReset' | 'queue'> & {
    /** Runs a command that no client has typed. */
    runAlone(command: string): Promise<void>;
  };
};

/** What a module does with its pins by itself, tied to its variables and its network. */
export function pinDutiesOf(parts: PinDutyParts): PinDuties {
  const { clock, log, pinRoles: roles, pins, user, variables, wlan } = parts;
  return new PinDuties({
    clock,
    pins,
    roles,
    initialPins: () => initialPins(parts),
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
    runSetup: () => void user.runAlone(variables.get('setup.gpio.cmd')),
    factoryReset: () => {
      const reset = (): Promise<void> => user.factoryReset();
      void inBackground(log, () => user.queue.run(reset) ?? reset());
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
function* initialPins({ model, variables }: Pick<PinDutyParts, 'model' | 'variables'>) {
  for (let pin = 0; pin < model.gpioCount; pin++) {
    const initial = initialPin(variables.getAt('gpio.init', pin));
    if (initial) yield { pin, ...initial };
  }
}

/** Gives the pins the states that they have while the module sleeps, whatever function has them awake. Spec: MOD-VAR-gpio.sleep. */
export function putPinsToSleep({ model, pins, variables }: Pick<PinDutyParts, 'model' | 'pins' | 'variables'>): void {
  for (let pin = 0; pin < model.gpioCount; pin++) {
    const state = sleepingPins[variables.getAt('gpio.sleep', pin)];
    if (!state) continue;
    // The boot that ends the sleep gives every pin back.
    pins.deregister(pin);
    unwrap(pins.register(pin, state.direction, state.level));
  }
}

/** What ends sleep. Spec: MOD-VAR-system.wakeup.timeout, MOD-VAR-system.wakeup.events. */
export function wakeSources({ model, variables }: Pick<PinDutyParts, 'model' | 'variables'>): WakeSources {
  const named = Array.from(variables.get('system.wakeup.events').matchAll(/\d+/g), ([pin]) => Number(pin));
  return {
    timeoutMs: variables.get('system.wakeup.timeout') * 1000,
    pins: named.filter((pin) => pin < model.gpioCount),
  };
}
