import { binary, endpoint } from '../endpoint.ts';
import { Capabilities } from './capabilities.ts';

/** What others check their files against. */
export const schemasContract = {
  capabilities: endpoint({
    method: 'GET',
    path: '/schemas/capabilities.json',
    spec: ['API-EP-GET-schemas-capabilities.json', 'API-DATA-capabilities'],
    tag: 'Data of devices',
    summary: 'JSON Schema of capabilities files',
    description:
      'Beyond the schema: a file has at most 4,096 bytes, no name is both a stream and a control, no range is empty, ' +
      'and a default is a value that its control may have.',
    auth: 'none',
    reply: binary('application/schema+json'),
    errors: [],
  }),
};

/** The JSON Schema of capabilities files, as it is published. */
export const capabilitiesSchema: Readonly<Record<string, unknown>> = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:moorage:capabilities:1',
  ...Capabilities,
};
