import { describe, expect, it } from 'vitest';
import { answerData, bodyOf, maskSecrets, readOptions, retryPauseMs, signatureOf, topicOf } from './rules.ts';

const url = 'https://example.com/hook';

// API-FIELD-connector-opts, API-RULE-connector-1
describe('options of a connector', () => {
  it.each([
    [{ url }, { type: 'webhook', url }],
    [
      { type: 'webhook', url, method: 'PUT', events: ['ota.ok'] },
      { type: 'webhook', url, method: 'PUT', events: ['ota.ok'] },
    ],
    [
      { type: 'mqtt', url: 'mqtts://b.example.com', qos: 2 },
      { type: 'mqtt', url: 'mqtts://b.example.com', qos: 2 },
    ],
    [
      { url, secret: '***', headers: { 'X-A': '***' } },
      { type: 'webhook', url, headers: {} },
    ],
  ])('%j are taken', (sent, opts) => {
    expect(readOptions(sent)).toEqual({ ok: true, value: { type: opts.type, opts } });
  });

  it.each([
    [{}, 'opts.url'],
    [{ type: 'ftp', url }, 'opts.type'],
    [{ type: 7, url }, 'opts.type'],
    [{ url: 'ftp://example.com' }, 'opts.url'],
    [{ url: 'https://me:secret@example.com' }, 'opts.url'],
    [{ url: 'https://[::' }, 'opts.url'],
    [{ url, colour: 'red' }, 'opts.colour'],
    [{ url, method: 'GET' }, 'opts.method'],
    [{ url, timeout_ms: 50 }, 'opts.timeout_ms'],
    [{ url, timeout_ms: 30_001 }, 'opts.timeout_ms'],
    [{ url, events: ['connector.error'] }, 'opts.events.0'],
    [{ url, events: ['ota.check'] }, 'opts.events.0'],
    [{ url, events: ['ota.ok', 'ota.ok'] }, 'opts.events'],
    [{ url, headers: { 'X A': '1' } }, 'opts.headers.X A'],
    [{ url, headers: { 'X-A': 'a\r\nb' } }, 'opts.headers.X-A'],
    [{ url, headers: { Host: 'a' } }, 'opts.headers.Host'],
    [{ url, headers: { 'x-signature': 'a' } }, 'opts.headers.x-signature'],
    [{ type: 'mqtt', url }, 'opts.url'],
    [{ type: 'mqtt', url: 'mqtt://b', topic: 'a/#' }, 'opts.topic'],
    [{ type: 'mqtt', url: 'mqtt://b', qos: 3 }, 'opts.qos'],
    [{ type: 'mqtt', url: 'mqtt://b', secret: 'x' }, 'opts.secret'],
  ])('%j are refused', (sent, key) => {
    expect(readOptions(sent)).toMatchObject({
      ok: false,
      error: { code: 'INVALID_REQUEST', validation: { source: 'body', keys: [key] } },
    });
  });

  // API-RULE-connector-2
  it('show no secret, and keep it when its mask comes back', () => {
    const opts = { type: 'webhook' as const, url, secret: 's3', headers: { Authorization: 'k', 'X-B': 'b' } };
    const stored = { type: 'webhook' as const, opts };
    const shown = maskSecrets('webhook', opts);
    expect(shown).toEqual({ type: 'webhook', url, secret: '***', headers: { Authorization: '***', 'X-B': '***' } });
    expect(readOptions(shown, stored)).toEqual({ ok: true, value: stored });
    const changed = { ...shown, secret: 'new', headers: { Authorization: '***' } };
    expect(readOptions(changed, stored)).toMatchObject({
      ok: true,
      value: { opts: { secret: 'new', headers: { Authorization: 'k' } } },
    });
    const { secret: _, ...without } = shown;
    expect(readOptions(without, stored)).toMatchObject({
      ok: true,
      value: { opts: expect.not.objectContaining({ secret: 's3' }) },
    });
    expect(maskSecrets('mqtt', { type: 'mqtt', url: 'mqtt://b', password: 'p' })).toMatchObject({ password: '***' });
  });

  it('do not take a secret along to another host', () => {
    const stored = { type: 'webhook' as const, opts: { url, secret: 's3' } };
    const refused = { ok: false, error: { validation: { keys: ['opts.url'] } } };
    expect(readOptions({ url: 'https://evil.example.com/', secret: '***' }, stored)).toMatchObject(refused);
    expect(readOptions({ url: `${url}/2`, secret: '***' }, stored)).toMatchObject({ ok: true });
    expect(readOptions({ url: 'https://other.example.com/', secret: 'new' }, stored)).toMatchObject({ ok: true });
  });

  it('never change their type', () => {
    const stored = { type: 'webhook' as const, opts: { url } };
    expect(readOptions({ type: 'mqtt', url: 'mqtt://b' }, stored)).toMatchObject({
      ok: false,
      error: { validation: { keys: ['opts.type'] } },
    });
  });
});

const outgoing = {
  event: 'ota.ok',
  code: 'HOOK',
  id: 'delivery-1',
  device: { id: 'd', uuid: 'ab', title: 'D' },
  product: { id: 'p', product: 'ME-PLAT_X' },
  data: { a: 1 },
  atMs: 5,
};

describe('what a connector sends', () => {
  // API-RULE-connector-4: checked against `printf x | openssl dgst -sha256 -hmac key`.
  it('is signed with the secret', () => {
    expect(signatureOf('x', 'key')).toBe('sha256=4fc3b7eaf34d7e594a6f51d9517ba543abf41067b27587ffd82ba3584e4d3cdd');
  });

  it('says which event, device and product', () => {
    expect(JSON.parse(bodyOf(outgoing))).toEqual({
      id: outgoing.id,
      device: outgoing.device,
      product: outgoing.product,
      code: 'HOOK',
      event: 'ota.ok',
      data: { a: 1 },
      at: '5',
    });
  });

  it.each([
    ['moorage/{product}/{device}/{event}', 'moorage/ME-PLAT_X/ab/ota.ok'],
    ['{code}/{unknown}', 'HOOK/{unknown}'],
  ])('goes to the topic of %s', (template, topic) => {
    expect(topicOf(template, outgoing)).toBe(topic);
  });

  it('adds no level and no wildcard to a topic', () => {
    expect(topicOf('a/{event}/{device}', { ...outgoing, event: 'x/#+', device: null })).toBe('a/x___/-');
  });

  // API-RULE-connector-5
  it('is tried again after 10, 60 and 300 seconds, and then no more', () => {
    expect([1, 2, 3, 4].map(retryPauseMs)).toEqual([10_000, 60_000, 300_000, undefined]);
  });

  it.each([
    [200, '{"a":1}', { ok: true, value: { a: 1 } }],
    [204, '', { ok: true, value: null }],
    [200, 'hello', { ok: false, error: 'the answer is not JSON' }],
    [302, '', { ok: false, error: 'status 302' }],
    [500, '{}', { ok: false, error: 'status 500' }],
  ])('brings back of %i %j: %j', (status, body, expected) => {
    expect(answerData(status, body)).toEqual(expected);
  });
});
