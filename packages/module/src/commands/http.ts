import type { Interface } from '@moorage/net';
import type { HeaderError } from '@moorage/net/http/exchange';
import { HttpStream } from '../device/http-stream.ts';
import type { Command } from '../interpreter/command.ts';
import { codes, fail, ok, type Response } from '../interpreter/reply.ts';
import { byteText } from '../interpreter/text.ts';
import { restOf } from '../interpreter/tokeniser.ts';
import { type Board, defineCommand } from './board.ts';
import { openHttp, untilAnswered } from './http-open.ts';
import { parseHttpUrl } from './http-url.ts';
import { interfaceOption } from './interface-option.ts';

const handle = { kind: 'int', min: 0, max: 65_535, help: 'stream handle' } as const;
// Spec: MOD-OPT-http_head-url, MOD-OPT-http_post-url.
const url = { kind: 'word', help: 'URL; http without a scheme' } as const;
// Spec: MOD-OPT-http_head-cert, MOD-OPT-http_post-cert.
const cert = { kind: 'file', optional: true, help: 'file with CA certificates; network.ca_cert without it' } as const;
// Spec: MOD-OPT-http_get-o, MOD-OPT-http_head-o, MOD-OPT-http_post-o.
const queued = { kind: 'switch', flag: '-o', help: 'open without sending, so that headers can be added' } as const;

interface RequestOptions {
  readonly iface: Interface | undefined;
  readonly url: string;
  readonly cert: string | undefined;
}

/** Opens a request on the interface that is named (MOD-OPT-http_head-i, MOD-OPT-http_post-i); it goes out at once unless it is queued. */
async function open(
  board: Board,
  method: 'GET' | 'HEAD' | 'POST',
  { iface, url: text, cert: file }: RequestOptions,
  signal: AbortSignal,
  options: { readonly queued: boolean; readonly contentType?: string },
): Promise<Response> {
  const parsed = parseHttpUrl(text);
  if (!parsed) return fail(codes.INVALID);
  const { contentType } = options;
  const headers = contentType === undefined ? [] : ([['Content-Type', contentType]] as const);
  const opened = await openHttp(board, { method, url: parsed, iface, cert: file, headers, signal });
  if (!opened.ok) return fail(codes.FAILED);
  if (!options.queued) opened.value.exchange.send();
  return ok(String(opened.value.handle));
}

const httpGet = defineCommand({
  name: 'http_get',
  shortcut: 'hge',
  group: 'http',
  spec: 'MOD-CMD-http_get',
  evidence: 'spec',
  summary: 'Open a stream with the answer to a GET request',
  example: 'http_get http://files.example/page.html',
  waitsFor: 'join, connection',
  options: { iface: interfaceOption, queued },
  args: { url, cert },
  run: (board, values, { signal }) => open(board, 'GET', values, signal, { queued: values.queued }),
});

const httpHead = defineCommand({
  name: 'http_head',
  shortcut: 'hhe',
  group: 'http',
  spec: 'MOD-CMD-http_head',
  evidence: 'spec',
  summary: 'Open a stream with the answer to a HEAD request',
  example: 'http_head http://files.example/page.html',
  waitsFor: 'join, connection',
  options: { iface: interfaceOption, queued },
  args: { url, cert },
  run: (board, values, { signal }) => open(board, 'HEAD', values, signal, { queued: values.queued }),
});

/** A type and subtype; the subtype alone means one of `application`. Spec: MOD-OPT-http_post-type. */
function contentTypeOf(text: string): string | undefined {
  if (!/^[\x21-\x7e]+(\/[\x20-\x7e]+)?$/.test(text)) return undefined;
  return text.includes('/') ? text : `application/${text}`;
}

const httpPost = defineCommand({
  name: 'http_post',
  shortcut: 'hpo',
  group: 'http',
  spec: 'MOD-CMD-http_post',
  evidence: 'spec',
  summary: 'Open a stream for a POST request; its body is written with stream_write',
  example: 'http_post -o http://files.example/up text/plain',
  waitsFor: 'join, connection',
  options: { iface: interfaceOption, queued },
  args: { url, type: { kind: 'word', help: 'content type of the body' }, cert },
  run: (board, values, { signal }) => {
    const contentType = contentTypeOf(values.type);
    // The body comes after this command, so the request always waits for it.
    if (contentType === undefined) return fail(codes.INVALID);
    return open(board, 'POST', values, signal, { queued: true, contentType });
  },
});

function httpStreamAt(board: Board, at: number): HttpStream | undefined {
  const stream = board.streams.get(at);
  if (stream instanceof HttpStream) return stream;
  board.log.say(stream ? 'notHttpStream' : 'unknownStream');
  return undefined;
}

const headerRefusals = {
  sent: { code: codes.FAILED, text: 'requestSent' },
  'too-large': { code: codes.FAILED, text: 'headersTooLarge' },
  malformed: { code: codes.INVALID, text: 'headerMalformed' },
} as const satisfies Readonly<Record<HeaderError, unknown>>;

const httpAddHeader = defineCommand({
  name: 'http_add_header',
  shortcut: 'had',
  group: 'http',
  spec: 'MOD-CMD-http_add_header',
  evidence: 'spec',
  summary: 'Add a header to a request that has not been sent',
  example: 'http_add_header 0 Accept text/html',
  syntax: 'http_add_header <handle> <key> <value>',
  // Spec: MOD-OPT-http_add_header-handle, MOD-OPT-http_add_header-key, MOD-OPT-http_add_header-value.
  args: {
    handle,
    key: { kind: 'word', help: 'name of the header' },
    value: { kind: 'words', typed: true, help: 'its value, to the end of the line' },
  },
  run: (board, { handle: at, key, value }) => {
    const stream = httpStreamAt(board, at);
    if (!stream) return fail(codes.FAILED);
    const added = stream.exchange.addHeader(key, byteText(restOf(value)));
    if (added.ok) return ok(board.personality.text('success'));
    const { code, text } = headerRefusals[added.error];
    board.log.say(text);
    return fail(code);
  },
});

const httpReadStatus = defineCommand({
  name: 'http_read_status',
  shortcut: 'hre',
  // An old sample types it so.
  aliases: ['http_read'],
  group: 'http',
  spec: 'MOD-CMD-http_read_status',
  evidence: 'spec',
  summary: 'Read the status code of the answer; sends a request that is queued',
  example: 'http_read_status 0',
  waitsFor: 'response',
  args: { handle },
  run: async (board, { handle: at }, { signal }) => {
    const stream = httpStreamAt(board, at);
    if (!stream) return fail(codes.FAILED);
    const isAnswered = await untilAnswered(board, stream);
    if (signal.aborted) return fail(codes.FAILED);
    if (!isAnswered) {
      board.log.say('noHttpResponse');
      return fail(codes.FAILED);
    }
    stream.announce();
    return ok(String(stream.exchange.status));
  },
});

export const httpCommands: readonly Command<Board>[] = [httpAddHeader, httpGet, httpHead, httpPost, httpReadStatus];
