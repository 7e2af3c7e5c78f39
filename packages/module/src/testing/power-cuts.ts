import { type Result, unwrap } from '@moorage/base';
import { MemoryStore, type PowerCut } from '@moorage/base/store/memory';
import { clientRig } from './client-rig.ts';

export type Rig = Awaited<ReturnType<typeof clientRig>>;

export interface Scene {
  readonly options?: Parameters<typeof clientRig>[0];
  /** What has happened before, undisturbed. */
  readonly prepare?: (rig: Rig) => Promise<unknown>;
}

const nothing = async () => {};

/** Store operations of an action that nothing disturbs and that succeeds: each of them is a moment for a cut. */
export async function momentsOf(
  act: (rig: Rig) => Promise<Result<unknown, unknown>>,
  { options = {}, prepare = nothing }: Scene = {},
): Promise<readonly PowerCut[]> {
  // A store with a cut that never comes counts every operation; one without counts only those that wait.
  const store = new MemoryStore({ cut: { atOperation: Number.POSITIVE_INFINITY, effect: 'lost' } });
  const rig = await clientRig({ ...options, store });
  await prepare(rig);
  const first = rig.store.operations;
  unwrap(await act(rig));
  await rig.clock.advance(1000);
  const count = rig.store.operations - first;
  return Array.from({ length: count }, (_, index) => first + index).flatMap((atOperation) => [
    { atOperation, effect: 'lost' as const },
    { atOperation, effect: 'kept' as const },
  ]);
}

/** Runs an action into a cut and boots again from what the store has kept. */
export async function throughCut(
  cut: PowerCut,
  act: (rig: Rig) => Promise<unknown>,
  { options = {}, prepare = nothing }: Scene = {},
) {
  const rig = await clientRig({ ...options, store: new MemoryStore({ cut }) });
  await prepare(rig);
  await act(rig).catch(() => {});
  await rig.clock.advance(1000);
  await rig.module.close().catch(() => {});
  const again = await rig.powerOn(rig.store.survivor());
  await rig.clock.advance(1000);
  return { ...rig, ...again };
}
