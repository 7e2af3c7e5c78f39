import { binary, endpoint } from './endpoint.ts';

/** Who the service is to its devices. */
export const identityContract = {
  authority: endpoint({
    method: 'GET',
    path: '/api/ca.pem',
    spec: ['API-EP-GET-ca.pem'],
    tag: 'Service',
    summary: 'Certificate of the authority that signs the certificates of devices and of the device listener',
    auth: 'none',
    reply: binary('application/x-pem-file'),
    errors: [],
  }),
};
