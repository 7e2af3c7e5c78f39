import type { Setting } from './config.ts';
import { anyText, hostList, webOrigin } from './setting-texts.ts';

/** Where the service is reached from outside, and by which certificate of another authority. */
export const addressSettings: readonly Setting[] = [
  {
    name: 'publicUrl',
    flag: 'public-url',
    placeholder: 'URL',
    help: 'where people and programs reach the API: https://hub.example',
    parse: webOrigin,
    secret: false,
  },
  {
    name: 'deviceNames',
    flag: 'device-names',
    placeholder: 'NAMES',
    help: 'where devices reach the device listener: hub.example,192.0.2.7:443; the certificate holds these names',
    defaultText: 'the host of --public-url',
    parse: hostList,
    otherwise: () => [],
  },
  {
    name: 'deviceUrl',
    flag: 'device-url',
    placeholder: 'URL',
    help: 'where devices reach the device listener from outside, for links to files: https://hub.example:8443',
    defaultText: 'the name that each device calls',
    parse: webOrigin,
    secret: false,
  },
  {
    name: 'deviceCert',
    flag: 'device-cert',
    placeholder: 'FILE',
    help: 'certificate of the device listener under the names in it, with its chain, for devices that trust a public authority',
    parse: anyText,
  },
  {
    name: 'deviceKey',
    flag: 'device-key',
    placeholder: 'FILE',
    help: 'key of --device-cert',
    parse: anyText,
    secret: false,
  },
];
