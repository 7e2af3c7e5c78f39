import { expect } from 'vitest';
import type { Call, WebRig } from './web-rig.ts';

/** One rule: a request, and what has to come back. Rows of a table share a module and run in their order. */
export interface Rule extends Call {
  readonly rule: string;
  readonly method?: string;
  readonly path: string;
  readonly status?: number;
  /** The whole body, or a pattern of it. */
  readonly text?: string | RegExp;
  /** The reply of a command, without its id. */
  readonly reply?: { readonly code: number; readonly flags?: number; readonly response: string };
  /** Headers that the answer has; `undefined`: it has none of that name. */
  readonly has?: Readonly<Record<string, string | undefined>>;
}

/** Sends the request of a rule and looks at what comes back. */
export async function check(rig: WebRig, rule: Rule): Promise<void> {
  const { headers = {}, body } = rule;
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
  const answer = await rig.call(rule.method ?? 'GET', rule.path, {
    headers: sent,
    ...(body !== undefined && { body }),
  });
  expect(answer.status, answer.text).toBe(rule.status ?? 200);
  if (rule.reply) {
    expect(JSON.parse(answer.text)).toEqual({ id: expect.any(Number), flags: 0, ...rule.reply });
  }
  if (rule.text instanceof RegExp) expect(answer.text).toMatch(rule.text);
  else if (rule.text !== undefined) expect(answer.text).toBe(rule.text);
  for (const [name, value] of Object.entries(rule.has ?? {})) expect(answer.headers[name], name).toBe(value);
}
