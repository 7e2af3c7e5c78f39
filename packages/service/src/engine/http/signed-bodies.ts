import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A signature is over the text of the body. */
    readonly signed?: boolean;
  }
}

/** Texts of JSON bodies as they came, of the requests under way whose bodies are signed. */
export const signedBodies = new WeakMap<FastifyRequest, string>();
