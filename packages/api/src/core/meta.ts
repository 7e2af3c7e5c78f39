import Type from 'typebox';
import { binary, endpoints } from '../endpoint.ts';

const shared = { tag: 'Service', auth: 'none' } as const;

export const metaContract = endpoints(shared, {
  health: {
    route: 'GET /healthz',
    summary: 'The process lives and is not stopping; what it can do, /readyz says',
    reply: Type.Object({
      status: Type.Literal('ok'),
      version: Type.String(),
      database: Type.Enum(['sqlite', 'postgres']),
      uptime_s: Type.Integer({ description: 'seconds since the service started' }),
    }),
    errors: [503],
  },
  ready: {
    route: 'GET /readyz',
    summary: 'Ready for requests: the database answers, and file contents can be stored',
    reply: Type.Object({
      status: Type.Literal('ok'),
      device_names: Type.Array(Type.String(), {
        description: 'names and addresses that the certificate of the device listener holds',
      }),
      bus: Type.Object(
        {
          kind: Type.Enum(['local', 'postgres', 'nats']),
          connected: Type.Boolean({
            description: 'messages reach other nodes; without them what happens on one reaches the others within 15 s',
          }),
        },
        { description: 'what carries messages between the nodes of the service' },
      ),
      warning: Type.Optional(
        Type.String({
          description:
            'what is wrong though requests are answered: an authority out of its time, a name at which the device listener is not reached, a database or file store without room',
        }),
      ),
    }),
    errors: [503],
  },
  metrics: {
    route: 'GET /metrics',
    limited: 'closed',
    access: 'metrics.read',
    summary: 'Figures for monitoring, in the text format of Prometheus',
    description:
      'For administrators; on a listener of its own (`--ops-port`) without a token. Counts of devices and updates are up to a minute old.',
    auth: 'bearer',
    reply: binary('text/plain; version=0.0.4; charset=utf-8'),
    errors: [403],
  },
});

/** What monitors get on the listener for them, which is not for strangers: nothing asks for a token. */
export const opsContract = {
  ...metaContract,
  metrics: { ...metaContract.metrics, auth: 'none', errors: [] },
} as const;
