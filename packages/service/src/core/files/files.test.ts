import { unwrap } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import { mimeOfFilename, moduleFileType, moduleFileTypes } from './file-types.ts';
import { readUpload } from './uploads.ts';

describe('type of a file on the module', () => {
  // API-FIELD-resource-type
  it.each([
    ['WIFI_FW', 0x01],
    ['UPGRADE_APP', 0x00],
    ['REGULAR_APP', 0x81],
    ['MISC_FIX_LEN', 0xfe],
    ['SOMETHING_ELSE', 0xfe],
    ['03', 0x03],
    ['fd', 0xfd],
    ['FB', 0xfb],
  ])('%s is byte %i', (type, byte) => {
    expect(moduleFileType(type)).toBe(byte);
  });

  it('is a byte in every row of the table', () => {
    for (const byte of moduleFileTypes.values()) expect(byte).toBeLessThanOrEqual(0xff);
  });
});

it.each([
  ['index.html', 'text/html'],
  ['a/b/INDEX.HTML', 'text/html'],
  ['style.css.gz', 'application/gzip'],
  ['noextension', 'application/octet-stream'],
  ['dir.html/file', 'application/octet-stream'],
  ['trailing.', 'application/octet-stream'],
])('media type of %s is %s by default', (filename, mime) => {
  expect(mimeOfFilename(filename)).toBe(mime);
});

describe('uploaded file', () => {
  it('gets every default (Reference: records 1.4)', () => {
    expect(unwrap(readUpload({ base64: 'aGVsbG8=' }, 'fallback.txt'))).toEqual({
      filename: 'fallback.txt',
      bytes: Buffer.from('hello'),
      type: 'MISC_FIX_LEN',
      version: '1.0.0.0',
      mime: 'text/plain',
    });
  });

  it('keeps what it says of itself', () => {
    const upload = { filename: 'x.js', type: 'WIFI_FW', version: '0.0.0.1', mime: 'a/b' };
    expect(unwrap(readUpload(upload, 'y'))).toEqual({ ...upload, bytes: Buffer.alloc(0) });
  });

  it.each(['?', 'aGVsbG8', 'aGVs bG8=', 'a', 'aGVsbG8==', 'aGVs\nbG8='])(
    'with base64 "%s" is read strictly',
    (base64) => {
      const outcome = readUpload({ base64 }, 'f', 'files[2].');
      if (base64 === 'aGVsbG8') expect(outcome.ok).toBe(true);
      else {
        expect(outcome).toMatchObject({
          ok: false,
          error: { code: 'INVALID_BASE64', validation: { source: 'body', keys: ['files[2].base64'] } },
        });
      }
    },
  );

  it('with a malformed version is refused, naming the field', () => {
    expect(readUpload({ version: '1.0' }, 'f', 'files[0].')).toMatchObject({
      ok: false,
      error: { code: 'INVALID_VERSION', validation: { keys: ['files[0].version'] } },
    });
  });
});
