import Type from 'typebox';
import { endpoint } from './endpoint.ts';

export const metaContract = {
  health: endpoint({
    method: 'GET',
    path: '/healthz',
    spec: ['API-EP-GET-healthz'],
    tag: 'Service',
    summary: 'Alive and able to reach its storage',
    auth: 'none',
    reply: Type.Object({
      status: Type.Literal('ok'),
      version: Type.String(),
      database: Type.Enum(['sqlite', 'postgres']),
      uptime_s: Type.Integer({ description: 'seconds since the service started' }),
    }),
    errors: [503],
  }),
};
