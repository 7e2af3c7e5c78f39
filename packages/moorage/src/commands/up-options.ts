import { adoptOptions } from './gateway-run.ts';
import { moduleOptions, serialOption } from './module.ts';

/** As for a module alone, but the serial line has another default. */
export const upOptions = {
  ...moduleOptions,
  serial: { ...serialOption, defaultText: 'pty:DIR/serial' },
  // With the offset of a module alone its HTTP server would have the port of the service.
  'port-offset': { ...moduleOptions['port-offset'], default: 8100 },
  gateway: {
    kind: 'switch',
    help: 'stand for real modules, too, as "moorage gateway" does; it keeps them in DIR/gateway',
  },
  'gateway-ip': {
    kind: 'ipv4',
    default: '0.0.0.0',
    placeholder: 'ADDRESS',
    help: 'address of this machine in their network',
  },
  ...adoptOptions,
} as const;
