import { type RolloutSettings, type TemplateName, templateNames } from '@moorage/api';
import { t } from '../../texts/fleet.ts';
import { type Draft, settingsOf } from './draft.ts';

interface WayRow {
  readonly way: Draft['way'];
  readonly title: string;
  readonly does: string;
}

/** The ready settings, as people read of them. */
export const templateRows: readonly (WayRow & { readonly way: TemplateName })[] = [
  { way: 'careful', title: t.careful, does: t.carefulDoes },
  { way: 'office_hours', title: t.officeHours, does: t.officeHoursDoes },
  { way: 'at_once', title: t.atOnce, does: t.atOnceDoes },
];

/** The ways that a new rollout has; the product's own where it says something. */
export const waysOf = (hasDefault: boolean): readonly WayRow[] => [
  { way: 'own', title: t.own, does: '' },
  ...(hasDefault ? [{ way: 'default', title: t.ofProduct, does: t.ofProductDoes } as const] : []),
  ...templateRows,
];

/** What a draft asks the service for: settings, a template, or neither for those of the product. */
export function choiceOf(draft: Draft): { settings?: RolloutSettings; template?: TemplateName } {
  if (draft.way === 'own') return { settings: settingsOf(draft) };
  const template = templateNames.find((name) => name === draft.way);
  return template === undefined ? {} : { template };
}
