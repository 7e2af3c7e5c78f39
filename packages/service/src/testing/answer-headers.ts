import { expect } from 'vitest';

/**
 * An answer has the headers of every answer; a file, which has an ETag and is no record, a browser may keep for its user.
 * API-RULE-headers-1
 */
export function expectAnswerHeaders(headers: Readonly<Record<string, unknown>>): void {
  const isRecord = String(headers['content-type']).startsWith('application/json;');
  expect(headers).toMatchObject({
    'cache-control': headers.etag === undefined || isRecord ? 'no-store' : 'private, no-cache',
    'x-content-type-options': 'nosniff',
  });
}
