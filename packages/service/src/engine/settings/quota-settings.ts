import type { Setting } from './config.ts';
import { quota } from './setting-texts.ts';

const row = (name: Setting['name'], most: number, unit: string, what: string): Setting => ({
  name,
  flag: name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`),
  placeholder: 'NUMBER',
  help: `${what} that an account may have; 0 for any number`,
  default: String(most),
  parse: quota(unit),
});

/** What an account may have. Spec: API-LIMIT-quotas. */
export const quotaSettings: readonly Setting[] = [
  row('quotaDevices', 100_000, 'devices', 'devices'),
  row('quotaProducts', 1_000, 'products', 'products'),
  row('quotaBundles', 100_000, 'bundles', 'bundles of products'),
  row('quotaConnectors', 1_000, 'connectors', 'connectors of products'),
  row('quotaMebibytes', 102_400, 'MiB', 'MiB of files, assets and bundles'),
];
