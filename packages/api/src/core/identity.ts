import Type, { type Static } from 'typebox';
import { binary, endpoints } from '../endpoint.ts';
import { Timestamp } from '../fields.ts';

export const authorityStates = ['next', 'active', 'retiring', 'retired'] as const;

/** A private authority of the installation. */
export const AuthorityRecord = Type.Object({
  fingerprint: Type.String({ description: 'SHA-256 of its certificate, lower-case hex' }),
  name: Type.String(),
  state: Type.Enum([...authorityStates]),
  changed_at: Timestamp,
  valid_from: Timestamp,
  valid_to: Timestamp,
  devices: Type.Integer({ description: 'devices that go by it: their certificate is signed by it, and they know it' }),
  recent_devices: Type.Integer({ description: 'those of them that have been heard of in the last 30 days' }),
});
export type AuthorityRecord = Static<typeof AuthorityRecord>;

/** By which a device says that it knows an authority, and the service that the device is to renew its certificate. */
export const renewalHeaders = { known: 'x-device-authority', due: 'x-device-renewal' } as const;

const shared = {
  tag: 'Service',
  scope: 'all',
  limited: 'closed',
  access: 'authority.manage',
  audit: { what: 'authority' },
} as const;

/** Who the service is to its devices. */
export const identityContract = endpoints(shared, {
  authority: {
    route: 'GET /api/ca.pem',
    summary: 'Certificates of the authorities that sign the certificates of devices and of the device listener',
    auth: 'none',
    reply: binary('application/x-pem-file'),
    errors: [],
  },
  list: {
    route: 'GET /api/authorities',
    summary: 'List the authorities, and how many devices go by each (administrators)',
    reply: Type.Array(AuthorityRecord),
    errors: [401, 403],
  },
  rotate: {
    route: 'POST /api/authorities',
    spec: ['API-RULE-authority-1'],
    summary: 'Make a new authority beside the present one (administrators)',
    description:
      'It is trusted at once and signs a minute later; devices get it with a renewal that they are asked for.',
    reply: Type.Array(AuthorityRecord),
    errors: [401, 403, 409],
  },
  retire: {
    route: 'POST /api/authorities/retire',
    spec: ['API-RULE-authority-2'],
    summary: 'End the trust in the authority that has been replaced (administrators)',
    description: 'Refused while devices go by it, unless forced: those have to be provisioned again.',
    body: Type.Object({ force: Type.Optional(Type.Boolean()) }),
    reply: Type.Array(AuthorityRecord),
    errors: [400, 401, 403, 409, 413, 415],
  },
});
