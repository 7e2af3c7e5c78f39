import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';

/** A certificate with its chain, and its key, PEM texts. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

/** No version before this is spoken by any listener. */
export const minTlsVersion = 'TLSv1.2' as const;

interface Current {
  readonly names: X509Certificate;
  readonly context: SecureContext;
}

/**
 * The certificate of the device listener that another authority has signed: shown to devices that ask for a name in it.
 * All others get that of the service's own authority, so those that trust it alone still find it under another name.
 */
export class OwnCertificate {
  readonly #ca: () => string;
  #given: CertificateAndKey | undefined;
  #current: Current | undefined;

  /** @param ca the authorities of devices at present, PEM text */
  constructor(ca: () => string) {
    this.#ca = ca;
  }

  /**
   * Shows this one from now on; open connections stay.
   *
   * @throws {Error} when certificate and key do not belong together
   */
  use(given: CertificateAndKey): void {
    const { certificate, key } = given;
    const context = createSecureContext({ cert: certificate, key, ca: this.#ca(), minVersion: minTlsVersion });
    this.#given = given;
    this.#current = { names: new X509Certificate(certificate), context };
  }

  /** Takes other authorities of devices. */
  refresh(): void {
    if (this.#given) this.use(this.#given);
  }

  /** What to show a client that asks for this name; nothing when the listener's own is to be shown. */
  contextFor(name: string): SecureContext | undefined {
    return this.#current?.names.checkHost(name) === undefined ? undefined : this.#current.context;
  }
}
