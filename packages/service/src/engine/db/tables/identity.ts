import type { TimeMs } from './columns.ts';

/** A private authority of the installation: it signs certificates of devices and of their listener. */
export interface AuthorityTable {
  /** SHA-256 of its certificate, lower-case hex. */
  fingerprint: string;
  /** PEM text. */
  certificate: string;
  /** PEM text; empty once it is retired. */
  private_key: string;
  state: 'next' | 'active' | 'retiring' | 'retired';
  created_at: TimeMs;
  /** When it reached its state. */
  changed_at: TimeMs;
}
