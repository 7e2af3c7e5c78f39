import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { type Clock, failure, type Result, success } from '@moorage/base';
import { createTransport } from 'nodemailer';
import { linkMqtt, publish } from './mqtt.ts';
import type {
  HttpAnswer,
  HttpMessage,
  MailMessage,
  MailServer,
  Outbound,
  OutboundError,
  RefusedRecipient,
} from './ports.ts';
import { TargetNotAllowed, Targets } from './targets.ts';

/**
 * The one way out of the machine: public addresses, and the networks in `allowed` (CIDR texts). Every address is
 * judged where it is dialled; the mail server is the operator's own choice. Spec: API-RULE-connector-3.
 */
export function openOutbound(allowed: readonly string[], clock: Clock, mailServer: MailServer = {}): Outbound {
  const targets = new Targets(allowed);
  return {
    refusedHost: (url) => targets.refusedHost(url),
    sendHttp: (message) => sendHttp(targets, clock, message),
    publish: (message) => publish(targets, clock, message),
    linkMqtt: (link, events) => linkMqtt(targets, clock, link, events),
    sendMail: (message) => sendMail(mailServer, clock, message),
  };
}

/** What failed, without the server's own words: `EENVELOPE 550`. */
const reasonOf = ({ code, responseCode, message }: Error & { code?: unknown; responseCode?: unknown }): string =>
  typeof code === 'string' ? [code, responseCode ?? []].flat().join(' ') : message;

/** Hands one mail to the mail server, on a new connection. TLS begins at the latest when the server offers it. */
export async function sendMail(
  { smtpUrl, mailFrom }: MailServer,
  clock: Clock,
  { id, to, subject, text, timeoutMs }: MailMessage,
): Promise<Result<readonly RefusedRecipient[], OutboundError>> {
  if (smtpUrl === undefined) return failure({ kind: 'failed', detail: 'the service has no mail server' });
  const transport = createTransport({ url: smtpUrl, disableFileAccess: true, disableUrlAccess: true });
  const giveUp = new AbortController();
  const cancel = clock.after(timeoutMs, () => giveUp.abort());
  try {
    const { rejectedErrors = [] } = await transport.sendMail({
      from: mailFrom,
      to: [...to],
      subject,
      text,
      messageId: `<${id}@moorage>`,
      date: new Date(clock.now()),
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: giveUp.signal,
    });
    return success(
      rejectedErrors.map(({ recipient, responseCode }) => ({ address: recipient ?? '', code: responseCode ?? 0 })),
    );
  } catch (error) {
    if (giveUp.signal.aborted) return failure({ kind: 'timed_out' });
    // Safe: the library rejects with errors.
    return failure({ kind: 'failed', detail: reasonOf(error as Error) });
  } finally {
    cancel();
    transport.close();
  }
}

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

/** Sends one request on a new connection. Redirects are not followed: they could lead inside. */
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
