import { type Clock, failure, type Result, success } from '@moorage/base';
import { createTransport } from 'nodemailer';
import type { MailMessage, MailServer, OutboundError, RefusedRecipient } from './ports.ts';

/** What failed, without the server's own words: `EENVELOPE 550`. */
const reasonOf = ({ code, responseCode, message }: Error & { code?: unknown; responseCode?: unknown }): string =>
  typeof code === 'string' ? [code, responseCode ?? []].flat().join(' ') : message;

/** Hands one mail to the mail server, on a connection of its own. TLS begins at the latest when the server offers it. */
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
