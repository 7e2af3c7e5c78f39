import type { Capabilities } from '@moorage/api';

/** What the device of a rig can do. */
export const rigCapabilities: Capabilities = {
  name: 'Thermostat',
  version: '1.0.0',
  streams: { temp: { type: 'number', min: -40, max: 125 }, status: { type: 'string' } },
  controls: {
    led1: { type: 'number', min: 0, max: 1, default: 0 },
    mode: { type: 'string' },
  },
  messages: { 'to-device': true, 'from-device': true },
};
