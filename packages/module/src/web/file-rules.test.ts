import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileFlags } from '../device/flash.ts';
import { type WebRig, webRig, webWires } from '../testing/web-rig.ts';
import { check, type Rule } from '../testing/web-rules.ts';

const packed = gzipSync('packed');

const files = {
  'webapp/index.html': '<p>root</p>',
  'a b.txt': 'hello world',
  '/slash.css': 'a{}',
  'app.js.gz': packed,
  '/favicon.ico.gz': packed,
  both: 'plain',
  'both.gz': packed,
  'page.HTM': 'x',
} as const;

/** Rules of static files. Reference: http-server 2.1. */
const fileRules: readonly Rule[] = [
  {
    rule: 'MOD-VAR-http.server.root_filename the root page',
    path: '/',
    text: '<p>root</p>',
    has: { 'content-type': 'text/html' },
  },
  { rule: 'a query does not matter', path: '/?x', text: '<p>root</p>' },
  {
    rule: 'a path is percent-decoded',
    path: '/a%20b.txt',
    text: 'hello world',
    has: { 'content-type': 'text/plain', 'content-encoding': undefined },
  },
  { rule: 'a name may begin with a slash', path: '/slash.css', text: 'a{}', has: { 'content-type': 'text/css' } },
  {
    rule: 'a packed file stands for the plain one',
    path: '/app.js',
    has: { 'content-type': 'application/javascript', 'content-encoding': 'gzip' },
  },
  {
    rule: 'with both spellings at once',
    path: '/favicon.ico',
    has: { 'content-type': 'image/x-icon', 'content-encoding': 'gzip' },
  },
  { rule: 'the plain one comes first', path: '/both', text: 'plain', has: { 'content-encoding': undefined } },
  {
    rule: 'a packed file under its own name is what it is',
    path: '/app.js.gz',
    has: { 'content-type': 'application/octet-stream', 'content-encoding': undefined },
  },
  { rule: 'endings in capitals count', path: '/page.HTM', has: { 'content-type': 'text/html' } },
  { rule: 'a name without an ending', path: '/both', has: { 'content-type': 'application/octet-stream' } },
  { rule: 'the stored type helps', path: '/cert', has: { 'content-type': 'application/x-pem-file' } },
  { rule: 'names are case-sensitive', path: '/A%20b.txt', status: 404 },
  { rule: 'a missing file', path: '/none', status: 404, text: /Not found/ },
  { rule: 'names that are no names', path: '/..%2f..%2fetc/passwd', status: 404 },
  { rule: 'a zero in a name', path: '/a%00', status: 404 },
  { rule: 'a bad path', path: '/%zz', status: 400 },
  { rule: 'system files are not there', path: '/device.key', status: 404 },
  { rule: 'programs neither', path: '/main_app.exe', status: 404 },
  { rule: 'radio firmware neither', path: '/wifi_fw.bin', status: 404 },
  {
    rule: 'HEAD has the headers',
    method: 'HEAD',
    path: '/a%20b.txt',
    text: '',
    has: { 'content-length': '11', 'content-type': 'text/plain' },
  },
  { rule: 'HEAD of what is missing', method: 'HEAD', path: '/none', status: 404, text: '' },
  { rule: 'POST to a file', method: 'POST', path: '/a%20b.txt', status: 405, has: { allow: 'GET, HEAD' } },
  { rule: 'PUT', method: 'PUT', path: '/new', body: 'x', status: 405 },
  { rule: 'TRACE', method: 'TRACE', path: '/', status: 405 },
  {
    rule: 'a range',
    path: '/a%20b.txt',
    headers: { range: 'bytes=6-8' },
    status: 206,
    text: 'wor',
    has: { 'content-range': 'bytes 6-8/11' },
  },
  { rule: 'an open range', path: '/a%20b.txt', headers: { range: 'bytes=6-' }, status: 206, text: 'world' },
  { rule: 'a range over the end', path: '/a%20b.txt', headers: { range: 'bytes=6-99' }, status: 206, text: 'world' },
  { rule: 'the last bytes', path: '/a%20b.txt', headers: { range: 'bytes=-2' }, status: 206, text: 'ld' },
  {
    rule: 'more last bytes than there are',
    path: '/a%20b.txt',
    headers: { range: 'bytes=-99' },
    status: 206,
    text: 'hello world',
  },
  {
    rule: 'a range behind the end',
    path: '/a%20b.txt',
    headers: { range: 'bytes=11-' },
    status: 416,
    has: { 'content-range': 'bytes */11' },
  },
  { rule: 'no last bytes', path: '/a%20b.txt', headers: { range: 'bytes=-0' }, status: 416 },
  { rule: 'a range the wrong way round is ignored', path: '/a%20b.txt', headers: { range: 'bytes=5-2' }, status: 200 },
  { rule: 'several ranges are ignored', path: '/a%20b.txt', headers: { range: 'bytes=1-2,4-5' }, status: 200 },
  { rule: 'other units are ignored', path: '/a%20b.txt', headers: { range: 'lines=1-2' }, status: 200 },
  {
    rule: 'a range of HEAD',
    method: 'HEAD',
    path: '/a%20b.txt',
    headers: { range: 'bytes=0-0' },
    status: 206,
    has: { 'content-length': '1' },
  },
  {
    rule: 'a range of another version is the whole',
    path: '/a%20b.txt',
    headers: { range: 'bytes=0-0', 'if-range': '"other"' },
    status: 200,
  },
  { rule: 'any tag matches a star', path: '/a%20b.txt', headers: { 'if-none-match': '*' }, status: 304, text: '' },
  { rule: 'another tag does not match', path: '/a%20b.txt', headers: { 'if-none-match': '"x", W/"y"' }, status: 200 },
];

// MOD-RULE-http-server
describe.each(webWires)('files over %s', (wire) => {
  let rig: WebRig;
  beforeAll(async () => {
    rig = await webRig({ wire, files });
    await rig.put('cert', 'pem', { type: 0x03 });
    await rig.put('device.key', 'secret', { type: 0x03, flags: fileFlags.system });
  });
  afterAll(() => rig.close());

  test.each(fileRules)('$rule', (rule) => check(rig, rule));

  test('a tag is answered with 304 until the file changes', async () => {
    const first = await rig.call('GET', '/both');
    const tag = String(first.headers.etag);
    const again = await rig.call('GET', '/both', { headers: { 'if-none-match': `"other", W/${tag}` } });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', tag]);
    expect((await rig.call('GET', '/both', { headers: { range: 'bytes=0-0', 'if-range': tag } })).status).toBe(206);
    await rig.put('both', 'other', { replace: true });
    expect((await rig.call('GET', '/both', { headers: { 'if-none-match': tag } })).text).toBe('other');
  });

  test('a file of many pieces arrives whole, and parts of it', async () => {
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index * 7));
    await rig.put('big.bin', content);
    expect((await rig.call('GET', '/big.bin')).body.equals(content)).toBe(true);
    const part = await rig.call('GET', '/big.bin', { headers: { range: 'bytes=70000-269999' } });
    expect(part.body.equals(content.subarray(70_000, 270_000))).toBe(true);
    await rig.run('file_delete big.bin');
  });
});
