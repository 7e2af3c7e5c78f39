import { expect, test, vi } from 'vitest';

test('options of connectors are the same as with the library', async () => {
  const withLibrary = await import('@moorage/api');
  vi.resetModules();
  vi.doMock('typebox', () => import('./schemas.ts'));
  const plain = await import('@moorage/api');
  vi.doUnmock('typebox');
  vi.resetModules();
  expect(plain.connectorOptions).not.toBe(withLibrary.connectorOptions);
  expect(JSON.parse(JSON.stringify(plain.connectorOptions))).toEqual(
    JSON.parse(JSON.stringify(withLibrary.connectorOptions)),
  );
});
