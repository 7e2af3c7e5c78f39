import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/**
 * Serves the OpenAPI document and its page, whose assets are all local.
 * Spec: API-EP-GET-openapi.json, API-EP-GET-docs.
 */
export function serveDocs(app: FastifyInstance, document: Readonly<Record<string, unknown>>): void {
  const text = JSON.stringify(document);
  app.get('/openapi.json', (_request, reply) => reply.header('content-type', 'application/json').send(text));
  void app.register(async (scope) => {
    // Safe: the document is a valid one, which a test checks; its own type is wider than the plugin's.
    await scope.register(swagger, { mode: 'static', specification: { document: document as never } });
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      uiConfig: { docExpansion: 'list', persistAuthorization: true },
      staticCSP: true,
      // In no frame of another page. In a network without TLS the page's own files would not be found.
      transformStaticCSP: (policy) =>
        policy.replace("frame-ancestors 'self'", "frame-ancestors 'none'").replace(' upgrade-insecure-requests;', ''),
    });
  });
}
