import type { PinUse } from '../device/gpio.ts';
import { directions } from './directions.ts';
import type { Value } from './kinds.ts';
import type { Variable, VariableContext } from './variable.ts';

/** A pin that something has claimed. */
interface PinClaim {
  readonly pin: number;
  /** Variable (with its index), command, or the board's own function. */
  readonly owner: string;
  /** As `gpio.usage` describes it. */
  readonly text: string;
  /** Plain input or output: `gpio_dir` and `gpio.init` share it. */
  readonly isGpio: boolean;
}

/** Pins that a value of a variable names; an indexed one by `gpio` names its index. */
export function pinsNamed(variable: Variable, index: string | undefined, value: Value): readonly number[] {
  if (variable.index === 'gpio') return value === '' ? [] : [Number(index)];
  if (variable.kind.type === 'gpio') return Number(value) < 0 ? [] : [Number(value)];
  if (variable.kind.type === 'pin_events') return value === '' ? [] : [Number.parseInt(String(value), 10)];
  return Array.from(String(value).matchAll(/gpio(\d+)/g), (match) => Number(match[1]));
}

const usageOf = (longName: string): string => directions.find((row) => row.longName === longName)?.usage ?? longName;

const describe = (variable: Variable, index: string | undefined, value: Value): string => {
  if (variable.name === 'gpio.init') return `GPIO ${usageOf(String(value).split(' ')[0] ?? '')}`;
  // An LED shows as the part of the system it stands for: `system.indicator.wlan`.
  if (variable.name === 'system.indicator.gpio') return `system.indicator.${index}`;
  return variable.name;
};

const commandClaims: { readonly [Kind in PinUse['kind']]: readonly [owner: string, text: string] } = {
  gpio: ['gpio_dir', 'GPIO'],
  adc: ['adc_take_sample', 'ADC'],
  pwm: ['pwm_update', 'PWM'],
  dac: ['dac_set_level', 'DAC'],
};

function claimOf(pin: number, use: PinUse): PinClaim {
  const [owner, text] = commandClaims[use.kind];
  const isGpio = use.kind === 'gpio';
  return { pin, owner, text: isGpio ? `${text} ${directions[use.direction]?.usage}` : text, isGpio };
}

/** What the board and the variables claim, whatever commands have done since. */
function* standingClaims(context: VariableContext): Generator<PinClaim> {
  for (const [pin, text] of Object.entries(context.sources.boardPins)) {
    yield { pin: Number(pin), owner: text, text, isGpio: false };
  }
  for (const variable of context.pinOwners) {
    for (const [index, value] of context.entries(variable.name)) {
      const owner = variable.index ? `${variable.name} ${index}` : variable.name;
      const claim = { owner, text: describe(variable, index, value), isGpio: variable.name === 'gpio.init' };
      for (const pin of pinsNamed(variable, index, value)) yield { pin, ...claim };
    }
  }
}

/** The variable or board function that has a pin for itself; plain inputs and outputs do not count. */
export function functionOf(context: VariableContext, pin: number): string | undefined {
  for (const claim of standingClaims(context)) if (claim.pin === pin && !claim.isGpio) return claim.owner;
  return undefined;
}

/**
 * Every claimed pin once, lowest first. What a command has made of a pin comes before what a variable says of it; of
 * two variables that were saved with one pin, the first has it. Reference: variables 4.1.
 */
export function pinClaims(context: VariableContext): readonly PinClaim[] {
  const pins = context.sources.pins();
  const claims = new Map(Array.from(pins.uses, ([pin, use]) => [pin, claimOf(pin, use)] as const));
  for (const claim of standingClaims(context)) {
    const before = claims.get(claim.pin);
    if (!pins.isFreed(claim.pin) && (!before || (before.isGpio && !claim.isGpio && !pins.uses.has(claim.pin)))) {
      claims.set(claim.pin, claim);
    }
  }
  return [...claims.values()].sort((a, b) => a.pin - b.pin);
}

/** The table of `gpio.usage`. Spec: MOD-VAR-gpio.usage. */
export function pinTable(context: VariableContext): readonly string[] {
  const aliases = context.entries('gpio.alias');
  const rows = pinClaims(context).map(({ pin, text }) => {
    const alias = aliases.get(String(pin));
    return `#${String(pin).padStart(3)} ${text}${alias ? ` (${alias})` : ''}`;
  });
  return ['!  # Description', ...rows];
}
