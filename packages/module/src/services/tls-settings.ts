import { failure, type Result, success } from '@moorage/base';
import type { TlsClient } from '@moorage/net';
import { fileReasons } from '../device/flash.ts';
import type { TextKey } from '../texts/texts.ts';
import type { ServiceParts } from './service.ts';

type TlsParts = Pick<ServiceParts, 'flash' | 'log' | 'variables'>;

/** Longest certificate file, in bytes. */
const maxCertBytes = 64 * 1024;

/**
 * The authorities out of the named file, or out of the file that `network.ca_cert` names; without that, those that the
 * network knows by itself. Spec: MOD-OPT-http_get-cert, MOD-VAR-network.ca_cert.
 */
export async function tlsSettings(parts: TlsParts, cert: string | undefined): Promise<Result<TlsClient, 'failed'>> {
  const name = cert ?? parts.variables.get('network.ca_cert');
  if (cert === undefined && (name === '' || !parts.flash.stat(name))) return success({});
  const content = await parts.flash.readAll(name, maxCertBytes);
  if (!content.ok) return refused(parts, fileReasons[content.error]);
  const ca = Buffer.from(content.value).toString('latin1');
  return ca.includes('-----BEGIN CERTIFICATE-----') ? success({ ca }) : refused(parts, 'certificateMalformed');
}

function refused({ log }: TlsParts, why: TextKey): Result<never, 'failed'> {
  log.say(why);
  return failure('failed');
}
