import { executionStates, rolloutStates } from '@moorage/api';
import { type RawBuilder, sql } from 'kysely';
import { holds, onlyBringsBack } from './rules.ts';

/**
 * A rollout says what a device gets when it holds the device, or when it is the device's turn; its pace only delays that.
 * Whether a device that is not in it yet fits its filter is looked at when the device asks.
 */
const hasSay = sql.raw(
  [
    "r.state = 'running' and e.state = 'waiting' and e.stage <= r.stage",
    "r.state = 'running' and r.filter is null and coalesce(e.state, 'left') in ('left', 'skipped')",
    ...rolloutStates.flatMap((rollout) =>
      executionStates
        .filter((execution) => holds(rollout, execution))
        .map((execution) => {
          const ofThese = `r.state = '${rollout}' and e.state = '${execution}'`;
          return onlyBringsBack(rollout, execution) ? `${ofThese} and e.bundle_id <> r.bundle_id` : ofThese;
        }),
    ),
  ].join(' or '),
);

/** The id of the bundle that a pin or a rollout says a row of `devices` should run at a time, epoch ms. */
export const wantedFirst = (nowMs: number): RawBuilder<string | null> => {
  const onOffer = sql.raw("b.product_id = devices.product_id and b.state = 'published'");
  return sql`coalesce(
    (select b.id from pins join bundles as b on b.id = pins.bundle_id
      where pins.device_id = devices.id and (pins.until is null or pins.until > ${nowMs}) and ${onOffer}),
    (select b.id from bundles as b where ${onOffer} and b.id =
      (select case when coalesce(e.state, 'left') in ('left', 'skipped') then r.bundle_id else e.bundle_id end
        from rollouts as r left join executions as e on e.rollout_id = r.id and e.device_id = devices.id
        where r.product_id = devices.product_id and r.holds = 1 and (${hasSay})
        order by r.priority desc, r.created_at desc, r.id limit 1)))`;
};
