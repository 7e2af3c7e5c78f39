import type { FastifyPluginAsync } from 'fastify';

/** Names a scope of a server. The framework would look for its name in every module that is loaded: 1 ms for each. */
export const named = (name: string, scope: FastifyPluginAsync): FastifyPluginAsync =>
  Object.assign(scope, { [Symbol.for('fastify.display-name')]: name });
