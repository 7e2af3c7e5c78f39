import type { AlertRuleRecord } from '@moorage/api';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/connectors.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';

/** What a rule watches, in a sentence without a final period. */
export function ruleText({
  condition,
  at_least,
  segment,
}: Pick<AlertRuleRecord, 'condition' | 'at_least' | 'segment'>): string {
  const what = (): string => {
    if (condition.kind === 'offline') return t.notHeardFor(plural(condition.minutes, nouns.minute));
    if (condition.kind === 'silent') return t.thatAreSilent;
    if (condition.kind === 'update_failed') return t.whoseLastUpdateFailed;
    const { stream, side, limit, minutes } = condition;
    return t.withFor(stream, t.sides[side], limit, plural(minutes, nouns.minute));
  };
  const who = at_least === 1 ? common.devices : t.atLeastAtOnce(plural(at_least, nouns.device));
  return `${who}${segment === null ? '' : ` ${t.of(segment)}`} ${what()}`;
}
