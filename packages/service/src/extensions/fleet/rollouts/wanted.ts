import { executionStates, rolloutStates } from '@moorage/api';
import { type RawBuilder, sql } from 'kysely';
import { goesOn, holds, onlyBringsBack } from './rules.ts';

/** A rollout says what a device gets when it holds the device, or when it is the device's turn; its pace only delays that. */
const decides = sql.raw(
  [
    "r.state = 'running' and e.state = 'waiting' and e.stage <= r.stage",
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

const goingOn = sql.raw(
  rolloutStates
    .filter((state) => goesOn({ state }))
    .map((state) => `r.state = '${state}'`)
    .join(' or '),
);

/** Seconds between two queries of a row of `devices`, where its product says so. */
export const pollInterval: RawBuilder<number | null> = sql`(select fs.poll_interval_s from fleet_settings as fs
  where fs.product_id = devices.product_id)`;

/** The id of the bundle that a pin or a rollout says a row of `devices` should run at a time, epoch ms. */
export const wantedFirst = (nowMs: number): RawBuilder<string | null> => {
  const onOffer = sql.raw("b.product_id = devices.product_id and b.state = 'published'");
  // A device that is held stays with what it runs, whatever the state of its bundle: without that one, with none.
  return sql`coalesce(
    (select case when b.state = 'published' or substr(devices.bversion, 1, length(p.product || '-' || b.version || ', '))
        = p.product || '-' || b.version || ', ' then b.id else '' end
      from pins join bundles as b on b.id = pins.bundle_id join products as p on p.id = b.product_id
      where pins.device_id = devices.id and (pins.until is null or pins.until > ${nowMs}) and p.id = devices.product_id),
    (select b.id from bundles as b where ${onOffer} and b.id =
      (select case when e.state = 'waiting' then r.bundle_id else e.bundle_id end
        from executions as e join rollouts as r on r.id = e.rollout_id
        where e.device_id = devices.id and e.in_force = 1
          and r.product_id = devices.product_id and r.holds = 1 and (${decides})
        order by case when ${goingOn} then 0 else 1 end, r.priority desc, r.started_at desc, r.id limit 1)))`;
};
