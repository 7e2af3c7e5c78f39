import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Beside main.ts, as everything is in the published program: the path holds in both.
const built = fileURLToPath(new URL('../../console/dist', import.meta.url));

/** What the set-up of the clone builds; a service without it has no console, and everything else. */
export const consoleFolder = (): string | undefined => (existsSync(`${built}/index.html`) ? built : undefined);
