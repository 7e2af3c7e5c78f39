import { expect } from 'vitest';
import { movesFor } from '../extensions/fleet/rollouts/moves.ts';
import { endedExecutions, endsOf, prospectsOf } from '../extensions/fleet/rollouts/prospects.ts';
import { endedStates, goesOn, openExecutions, openOf, takenStates } from '../extensions/fleet/rollouts/rules.ts';
import { countsOf, factsOf, nextOf, settings, type World } from './rollout-world.ts';

/** What must hold in every state. */
function check(world: World): void {
  for (const [d, device] of world.devices.entries()) {
    expect(movesFor(factsOf(world, d)), `device ${d} is as it should be`).toEqual([]);
    const taken = world.rollouts.filter(({ of }) => of[d]?.inForce && takenStates.includes(of[d].state));
    expect(taken.length, `rollouts that hold device ${d}`).toBeLessThanOrEqual(1);
    const open = world.rollouts.filter(
      (rollout) => goesOn(rollout) && openExecutions.includes(rollout.of[d]?.state ?? 'done'),
    );
    if (device.blocked || device.pinned || device.product !== 'p') expect(open).toEqual([]);
  }
  for (const rollout of world.rollouts) {
    expect(openOf(countsOf(rollout))).toBeLessThanOrEqual(1);
    if (rollout.state !== 'running') continue;
    const has = rollout.of.filter((one) => one !== undefined);
    const waits = has.some(({ state, stage }) => openExecutions.includes(state) && stage <= rollout.stage);
    // It waits for a device that may ask, for one to fit, or is in front of a gate that its devices have not met.
    expect(waits || has.length === 0, `a running rollout has a way to its end: ${JSON.stringify(rollout)}`).toBe(true);
  }
}

/** Each end that a device comes to is one that could still come. */
function checkEnds(before: World, after: World): void {
  for (const [r, rollout] of before.rollouts.entries()) {
    for (const [d, was] of rollout.of.entries()) {
      const is = after.rollouts[r]?.of[d];
      if (!was || !is || is.state === was.state || !endedExecutions.includes(is.state)) continue;
      expect(endsOf(rollout.state, was), `rollout ${r}, which is ${rollout.state}, of device ${d}`).toContain(is.state);
    }
    const now = after.rollouts[r]?.state ?? rollout.state;
    if (now !== rollout.state && endedStates.includes(now)) {
      expect(prospectsOf({ ...rollout, settings }, []).ends).toContain(now);
    }
  }
}

const timeNames = new Set(['tagAt', 'since', 'meant', 'started', 'at']);

/** The same for worlds in which all has happened in the same order, whenever. */
function keyOf(world: World): string {
  const times = [
    world.tagAt,
    ...world.devices.flatMap(({ since, meant, update }) => [since, meant, update?.meant ?? 0]),
    ...world.rollouts.flatMap(({ started: at, of }) => [at, ...of.map((one) => one?.at ?? 0)]),
  ];
  const order = new Map([...new Set(times)].sort((one, other) => one - other).map((at, place) => [at, place]));
  return JSON.stringify(world, (name, value) =>
    name === 'step' ? undefined : timeNames.has(name) ? order.get(value) : value,
  );
}

/** Walks through all worlds that may follow from one in so many steps, and checks each. Returns how many there are. */
export function walk(begin: World, depth: number): number {
  const seen = new Set([keyOf(begin)]);
  let front: { readonly world: World; readonly path: readonly string[] }[] = [{ world: begin, path: [] }];
  for (let at = 0; at < depth; at++) {
    const next: typeof front = [];
    for (const { world, path } of front) {
      const tried: string[] = [...path];
      try {
        for (const [what, after] of nextOf(world)) {
          tried[path.length] = what;
          checkEnds(world, after);
          const key = keyOf(after);
          if (seen.has(key)) continue;
          seen.add(key);
          check(after);
          next.push({ world: after, path: [...path, what] });
        }
      } catch (error) {
        throw new Error(`After ${tried.join(', ')}`, { cause: error });
      }
    }
    front = next;
  }
  return seen.size;
}
