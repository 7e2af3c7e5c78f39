/** How long clients may take, in milliseconds. */
export interface Timeouts {
  /** From the connection, or the request before, to the end of the headers. */
  readonly headersMs: number;
  /** To the end of the body. */
  readonly requestMs: number;
  /** To the end of the TLS handshake. */
  readonly handshakeMs: number;
  /** Between two looks at what has taken too long. */
  readonly checkMs: number;
}

/** What clients have outside tests. */
export const defaultTimeouts: Timeouts = {
  headersMs: 60_000,
  requestMs: 300_000,
  handshakeMs: 30_000,
  checkMs: 10_000,
};
