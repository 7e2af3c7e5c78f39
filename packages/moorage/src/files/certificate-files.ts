import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Certificates } from '@moorage/service';
import type { Settings } from '@moorage/service/engine/settings/settings';
import { UserError } from '../command-line/define.ts';
import { readSetting } from './given-file.ts';

/** Parses the text of a file; what is wrong with it is the library's word and says little. */
function parsed<T>(flag: string, path: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UserError(`Setting ${flag}: file "${path}" has no ${what} in PEM`, 2, { cause: error });
  }
}

/** The text of a file of certificates. @throws {UserError} when it cannot be read, or begins with none in PEM */
export function readCertificate(flag: string, path: string): string {
  const certificate = readSetting(flag, path);
  parsed(flag, path, 'certificate', () => new X509Certificate(certificate));
  return certificate;
}

/** The two files of a certificate; settings that name one of them alone are refused before. */
function readPair(name: 'device' | 'tls', certificatePath: string | undefined, keyPath: string | undefined) {
  const [certificateFlag, keyFlag] = [`--${name}-cert`, `--${name}-key`];
  if (certificatePath === undefined || keyPath === undefined) return undefined;
  const certificate = readCertificate(certificateFlag, certificatePath);
  const key = readSetting(keyFlag, keyPath);
  const privateKey = parsed(keyFlag, keyPath, 'private key without a password', () => createPrivateKey(key));
  if (!new X509Certificate(certificate).checkPrivateKey(privateKey)) {
    throw new UserError(
      `The key in "${keyPath}" (${keyFlag}) is not that of the certificate in "${certificatePath}"`,
      2,
    );
  }
  return { certificate, key };
}

/** The settings that name files of certificates. */
export type CertificateSettings = Pick<Settings, 'deviceCert' | 'deviceKey' | 'tlsCert' | 'tlsKey'>;

/**
 * The certificates that the settings name.
 *
 * @throws {UserError} when a file cannot be read, is no PEM, or the two do not belong together
 */
export function readCertificates(settings: CertificateSettings): Certificates {
  const devices = readPair('device', settings.deviceCert, settings.deviceKey);
  const api = readPair('tls', settings.tlsCert, settings.tlsKey);
  return { ...(devices && { devices }), ...(api && { api }) };
}
