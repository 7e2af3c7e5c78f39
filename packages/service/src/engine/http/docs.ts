import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { named } from './named.ts';

/**
 * Serves the OpenAPI document, made when it is first asked for, and its page, whose assets are all local.
 * Spec: API-EP-GET-openapi.json, API-EP-GET-docs.
 */
export function serveDocs(app: FastifyInstance, describe: () => Readonly<Record<string, unknown>>): void {
  let text: string | undefined;
  app.get('/openapi.json', (_request, reply) => {
    text ??= JSON.stringify(describe());
    return reply.header('content-type', 'application/json').send(text);
  });
  const scope = named('docs', async (scope) => {
    await scope.register(swagger, { mode: 'static', specification: { document: {} as never } });
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      uiConfig: { docExpansion: 'list', persistAuthorization: true },
      staticCSP: true,
      transformSpecification: describe,
      transformSpecificationClone: false,
      // In no frame of another page. In a network without TLS the page's own files would not be found.
      transformStaticCSP: (policy) =>
        policy.replace("frame-ancestors 'self'", "frame-ancestors 'none'").replace(' upgrade-insecure-requests;', ''),
    });
  });
  void app.register(scope);
}
