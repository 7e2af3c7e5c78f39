import { binary, endpoints } from '../endpoint.ts';
import { Capabilities } from './capabilities.ts';

/** What others check their files against. */
export const schemasContract = endpoints(
  { tag: 'Data of devices', auth: 'none' },
  {
    capabilities: {
      route: 'GET /schemas/capabilities.json',
      spec: ['API-DATA-capabilities'],
      summary: 'JSON Schema of capabilities files',
      description:
        'Beyond the schema: a file has at most 4,096 bytes, no name is both a stream and a control, no range is empty, ' +
        'and a default is a value that its control may have.',
      reply: binary('application/schema+json'),
    },
  },
);

/** The JSON Schema of capabilities files, as it is published. */
export const capabilitiesSchema: Readonly<Record<string, unknown>> = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:moorage:capabilities:1',
  ...Capabilities,
};
