import type { FastifyInstance, InjectOptions } from 'fastify';

/** `fetch` that calls a server in this process, without a socket. */
export const injectFetch =
  (app: FastifyInstance) =>
  async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(url, 'http://service');
    const options: InjectOptions = {
      // Safe: the client only uses methods of the contract.
      method: (init.method ?? 'GET') as NonNullable<InjectOptions['method']>,
      url: pathname + search,
      headers: Object.fromEntries(new Headers(init.headers)),
    };
    if (init.body !== undefined && init.body !== null) {
      const body = new Response(init.body);
      // As `fetch` does: a blob names its own media type, a form its boundary.
      const type = body.headers.get('content-type');
      if (type !== null) options.headers = { 'content-type': type, ...options.headers };
      options.payload = typeof init.body === 'string' ? init.body : Buffer.from(await body.bytes());
    }
    const reply = await app.inject(options);
    const headers = new Headers();
    for (const [name, value] of Object.entries(reply.headers)) {
      for (const one of Array.isArray(value) ? value : [value])
        if (one !== undefined) headers.append(name, String(one));
    }
    const empty = reply.statusCode === 304 || reply.statusCode === 204;
    return new Response(empty ? null : new Uint8Array(reply.rawPayload), { status: reply.statusCode, headers });
  };
