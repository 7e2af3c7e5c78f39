import * as t from '../../engine/db/table.ts';

export const certificateTables = {
  /** A private authority of the installation: it signs certificates of devices and of their listener. */
  authorities: t.table({
    /** SHA-256 of its certificate, lower-case hex. */
    fingerprint: t.key,
    /** PEM text. */
    certificate: t.text,
    /** PEM text; empty once it is retired. */
    private_key: t.text,
    state: t.word<'next' | 'active' | 'retiring' | 'retired'>(),
    created_at: t.time,
    /** When it reached its state. */
    changed_at: t.time,
  }),
};
