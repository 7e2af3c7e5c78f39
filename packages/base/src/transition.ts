/** One row of a state machine. A pair of state and trigger that has no row is refused. */
export interface Transition<State extends string, Trigger extends string> {
  readonly from: State;
  readonly trigger: Trigger;
  readonly to: State;
}

/**
 * The next state, or `undefined` when the table has no row for this state and trigger.
 *
 * State machines are tables; this is the one place that walks them.
 */
export function transition<State extends string, Trigger extends string>(
  table: readonly Transition<State, Trigger>[],
  from: State,
  trigger: Trigger,
): State | undefined {
  return table.find((row) => row.from === from && row.trigger === trigger)?.to;
}
