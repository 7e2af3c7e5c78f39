import { readFileSync } from 'node:fs';

/** Values of a field in the tables of a console source, which is read as text: only a browser can load the views. */
function fieldsOf(file: string, field: 'path' | 'key'): readonly string[] {
  const text = readFileSync(new URL(`../../packages/console/src/${file}`, import.meta.url), 'utf8');
  const rows = [...text.matchAll(new RegExp(`\\b${field}: '([^']*)'`, 'g'))].flatMap(([, value = '']) => value);
  if (rows.length === 0) throw new Error(`No ${field} of a row in ${file}`);
  return [...new Set(rows)];
}

/** The paths of all routes of the console. */
export const routePaths = (): readonly string[] => fieldsOf('routes.ts', 'path');

/** The last parts of the addresses of a page with tabs, by the file that has their table. */
export const tabKeys = (file: string): readonly string[] => fieldsOf(`views/${file}`, 'key');
