import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { type Clock, failure, type Result, success } from '@moorage/base';
import type { HttpAnswer, HttpMessage, OutboundError } from './ports.ts';
import { TargetNotAllowed, type Targets } from './targets.ts';

/** More of an answer is not read. */
const answerLimitBytes = 256 * 1024;

type Outcome = Result<HttpAnswer, OutboundError>;

const failed = (detail: string): Outcome => failure({ kind: 'failed', detail });

/** Collects an answer, up to its limit. */
function readAnswer(response: IncomingMessage, settle: (outcome: Outcome) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > answerLimitBytes) settle(failed(`the answer is longer than ${answerLimitBytes} bytes`));
    else chunks.push(chunk);
  });
  response.on('end', () =>
    settle(success({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() })),
  );
  response.on('error', () => settle(failed('the answer broke off')));
}

/** Sends one request on a connection of its own. Redirects are not followed: they could lead inside. */
export const sendHttp = (targets: Targets, clock: Clock, message: HttpMessage): Promise<Outcome> =>
  new Promise((resolve) => {
    const host = targets.refusedHost(message.url);
    if (host !== undefined) return resolve(failure({ kind: 'not_allowed', host }));
    const { request: open } = message.url.startsWith('https:') ? https : http;
    const request = open(message.url, {
      method: message.method,
      headers: { ...message.headers, 'content-length': Buffer.byteLength(message.body) },
      lookup: targets.lookup,
      // A connection from a pool may have been made under other rules.
      agent: false,
    });
    const settle = (outcome: Outcome) => {
      cancel();
      resolve(outcome);
      request.destroy();
    };
    const cancel = clock.after(message.timeoutMs, () => settle(failure({ kind: 'timed_out' })));
    request.on('response', (response) => readAnswer(response, settle));
    request.on('error', (error: NodeJS.ErrnoException) =>
      settle(
        error instanceof TargetNotAllowed
          ? failure({ kind: 'not_allowed', host: error.host })
          : failed(error.code ?? error.message),
      ),
    );
    request.end(message.body);
  });
