import { expect } from 'vitest';

/**
 * An answer has the headers of every answer; what has an ETag is a file, which a browser may keep for its user.
 * API-RULE-headers-1
 */
export function expectAnswerHeaders(headers: Readonly<Record<string, unknown>>): void {
  expect(headers).toMatchObject({
    'cache-control': headers.etag === undefined ? 'no-store' : 'private, no-cache',
    'x-content-type-options': 'nosniff',
  });
}
