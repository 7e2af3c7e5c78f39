import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:https';
import { renewalHeaders } from '@moorage/api';
import type { TestApp } from './build-app.ts';

export interface TlsCredentials {
  readonly certificate: string;
  readonly key: string;
}

type Platform = Awaited<ReturnType<TestApp['make']['platform']>>;

/** Devices of a service that listens with TLS on loopback. Close it when done. */
export async function tlsDevices(app: TestApp, known?: Platform) {
  const port = Number(new URL(await app.service.devices.listen({ host: '127.0.0.1', port: 0 })).port);
  const platform = known ?? (await app.make.platform());
  const agents: Agent[] = [];

  /** One keep-alive connection that shows a certificate. */
  function agentFor(credentials?: TlsCredentials, ca = app.service.identity.ca): Agent {
    const identity = credentials && { cert: credentials.certificate, key: credentials.key };
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, ...identity });
    agents.push(agent);
    return agent;
  }

  return {
    port,
    platform,
    agentFor,
    /** A call; rejects when the connection is cut. */
    call: (agent: Agent, method: string, path: string, body?: object, more: Readonly<Record<string, string>> = {}) =>
      new Promise<Record<string, unknown> & { readonly status: number }>((resolve, reject) => {
        const json = body && JSON.stringify(body);
        const headers = { ...(json && { 'content-type': 'application/json' }), ...more };
        const sent = request({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const renewal = response.headers[renewalHeaders.due];
            const reply = JSON.parse(Buffer.concat(chunks).toString());
            resolve({ ...reply, status: response.statusCode ?? 0, ...(renewal && { renewal }) });
          });
        });
        sent.on('error', reject);
        sent.end(json);
      }),
    /** A device with its certificate. */
    async deviceOf(more: object = {}) {
      const uuid = randomBytes(20).toString('hex');
      const issued = await app.service.identity.issueDeviceCertificate(uuid);
      const row = await app.make.device({
        platform_id: platform.id,
        product_id: platform.product_id,
        uuid,
        state: 'active',
        certificate_fingerprint: issued.fingerprint,
        authority: issued.authority,
        ...more,
      });
      return { row, issued, agent: agentFor(issued) };
    },
    close() {
      for (const agent of agents) agent.destroy();
    },
  };
}

export type TlsDevices = Awaited<ReturnType<typeof tlsDevices>>;
