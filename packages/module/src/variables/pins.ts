import type { Value } from './kinds.ts';
import type { Variable, VariableContext } from './variable.ts';

/** A pin that something has claimed. */
export interface PinUse {
  readonly pin: number;
  /** Variable (with its index), or the board's own function. */
  readonly owner: string;
  /** As `gpio.usage` describes it. */
  readonly text: string;
}

/** Pins that a value of a variable names; an indexed one by `gpio` names its index. */
export function pinsNamed(variable: Variable, index: string | undefined, value: Value): readonly number[] {
  if (variable.index === 'gpio') return value === '' ? [] : [Number(index)];
  if (variable.kind.type === 'gpio') return Number(value) < 0 ? [] : [Number(value)];
  return Array.from(String(value).matchAll(/gpio(\d+)/g), (match) => Number(match[1]));
}

const describe = (variable: Variable, index: string | undefined, value: Value): string => {
  if (variable.name === 'gpio.init') return `GPIO ${String(value).split(' ')[0]}`;
  // An LED shows as the part of the system it stands for: `system.indicator.wlan`.
  if (variable.name === 'system.indicator.gpio') return `system.indicator.${index}`;
  return variable.name;
};

/** Every claimed pin, lowest first. Reference: module-variables 25. */
export function pinUses(context: VariableContext): readonly PinUse[] {
  const uses = Object.entries(context.sources.boardPins).map(([pin, text]) => ({
    pin: Number(pin),
    owner: text,
    text,
  }));
  for (const variable of context.pinOwners) {
    for (const [index, value] of context.entries(variable.name)) {
      const owner = variable.index ? `${variable.name} ${index}` : variable.name;
      const text = describe(variable, index, value);
      uses.push(...pinsNamed(variable, index, value).map((pin) => ({ pin, owner, text })));
    }
  }
  return uses.sort((a, b) => a.pin - b.pin);
}

/** The table of `gpio.usage`. Spec: MOD-VAR-gpio.usage. */
export function pinTable(context: VariableContext): readonly string[] {
  const aliases = context.entries('gpio.alias');
  const rows = pinUses(context).map(({ pin, text }) => {
    const alias = aliases.get(String(pin));
    return `#${String(pin).padStart(3)} ${text}${alias ? ` (${alias})` : ''}`;
  });
  return ['!  # Description', ...rows];
}
