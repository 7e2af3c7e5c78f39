import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveConsole } from './console-files.ts';
import { statusOf } from './errors.ts';

const index = '<!doctype html><title>Console</title>';
const script = 'console.log("hello");\n'.repeat(100);

let folder: string;
let app: FastifyInstance;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'moorage-console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), index);
  writeFileSync(join(folder, 'assets', 'main-abc.js'), script);
  writeFileSync(join(folder, 'icon.svg'), '<svg/>');
  // As the build puts them beside it.
  writeFileSync(join(folder, 'assets', 'main-abc.js.br'), brotliCompressSync(script));
  writeFileSync(join(folder, 'assets', 'main-abc.js.gz'), gzipSync(script));
  app = fastify();
  app.get('/api/thing', () => 'of the service');
  app.setNotFoundHandler((_request, reply) => reply.code(404).send('not found'));
  serveConsole(app, folder, statusOf);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

describe('the console', () => {
  it.each(['/', '/devices', '/devices/some-id/files?x=1', '/metrics-of-mine', '/index.html'])(
    'answers %s with its page, which is asked for anew each time',
    async (url) => {
      const reply = await get(url);
      expect(reply.body).toBe(index);
      expect(reply.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
      });
    },
  );

  it('lets no script run that is not a file of the service', async () => {
    const policy = String((await get('/')).headers['content-security-policy']);
    expect(policy).toContain("default-src 'self'");
    expect(policy).toMatch(/script-src 'self' 'wasm-unsafe-eval';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("'unsafe-eval'");
  });

  it('may have pictures from where maps get theirs, and from nowhere else', async () => {
    expect((await get('/')).headers['content-security-policy']).toContain("img-src 'self' data: blob:;");
    const other = fastify();
    serveConsole(other, folder, statusOf, 'https://tiles.test:8443/{z}/{x}/{y}.png?key=1');
    const { headers } = await other.inject('/');
    expect(headers['content-security-policy']).toContain("img-src 'self' data: blob: https://tiles.test:8443;");
  });

  it('has files that are kept for ever, since a changed one has another name', async () => {
    const reply = await get('/assets/main-abc.js');
    expect(reply.body).toBe(script);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect((await get('/icon.svg')).headers['cache-control']).toBe('no-cache');
  });

  it('sends them packed to clients that can unpack them', async () => {
    const reply = await get('/assets/main-abc.js', { 'accept-encoding': 'deflate, gzip' });
    expect(reply.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(reply.rawPayload).toString()).toBe(script);
    const smaller = await get('/assets/main-abc.js', { 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect(smaller.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
    expect(brotliDecompressSync(smaller.rawPayload).toString()).toBe(script);
    expect((await get('/assets/main-abc.js.br')).statusCode).toBe(404);
  });

  it('sends them as they are to others, each form under an ETag of its own', async () => {
    const etags: unknown[] = [];
    for (const accepted of ['br', 'gzip', 'identity', 'br;q=0, gzip;q=0']) {
      const reply = await get('/assets/main-abc.js', { 'accept-encoding': accepted });
      etags.push(reply.headers.etag);
      const headers = { 'accept-encoding': accepted, 'if-none-match': String(reply.headers.etag) };
      expect((await get('/assets/main-abc.js', headers)).statusCode).toBe(304);
    }
    expect(new Set(etags).size).toBe(3);
    expect(etags[2]).toBe(etags[3]);
  });

  it('says that nothing has changed', async () => {
    const etag = String((await get('/')).headers.etag);
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const reply = await get('/', { 'if-none-match': tags });
      expect([reply.statusCode, reply.body]).toEqual([304, '']);
    }
  });

  it.each(['/assets/main-old.js', '/favicon.ico', '/../package.json', '/%2e%2e/package.json'])(
    'has no page for %s, a file that is not there',
    async (url) => {
      const reply = await get(url);
      expect([reply.statusCode, reply.json().code]).toEqual([404, 'NOT_FOUND']);
    },
  );

  it.each([
    '/api/nothing',
    '/API/devices',
    '/%61pi/x',
    '/api',
    '/Docs/x',
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
  ])('leaves %s to the service', async (url) => {
    const reply = await get(url);
    expect([reply.statusCode, reply.body]).toEqual([404, 'not found']);
  });

  it('stands behind what the service serves', async () => {
    expect((await get('/api/thing')).body).toBe('of the service');
  });

  it('is refused without its first page', () => {
    expect(() => serveConsole(fastify(), join(folder, 'assets'), statusOf)).toThrow('no index.html');
  });
});
