// Links of a built site: each leads to a file of it, and to an anchor of that if it names one; nothing is loaded from elsewhere.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Files of a folder by their paths from it, pages with their text. */
export function readSite(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    names.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const isText = /\.(html|css)$/.test(entry.name);
      return [posix.relative(folder, path), isText ? readFileSync(path, 'utf8') : ''];
    }),
  );
}

const unescaped = (text: string): string => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"');
/** Attributes of elements that a browser loads by itself; a link that is followed is none. */
const loading = /<(?:script|img|source|iframe|link)\b[^>]*?\s(?:src|href)="([^"]*)"/g;
const followed = /<a\b[^>]*?\shref="([^"]*)"/g;
const inStyles = /(?:url\(|@import )["']?([^"')]+)/g;

const isOutside = (link: string): boolean => /^([a-z]+:)?\/\//i.test(link);
const found = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, link = '']) => unescaped(link));

/** What is wrong with the links of a site that lies under `base`, one line each. */
export function findDeadLinks(site: ReadonlyMap<string, string>, base = '/'): string[] {
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (page: string): ReadonlySet<string> => {
    const known =
      anchors.get(page) ??
      new Set([...(site.get(page) ?? '').matchAll(/\s(?:id|name)="([^"]*)"/g)].map(([, id = '']) => unescaped(id)));
    anchors.set(page, known);
    return known;
  };
  const leads = (from: string, link: string): boolean => {
    const [address = '', anchor = ''] = link.split('#');
    const [path = ''] = address.split('?');
    if (path.startsWith('/') && !path.startsWith(base)) return false;
    const inside = path.startsWith('/') ? path.slice(base.length) : posix.join(posix.dirname(from), path);
    const target = path === '' ? from : inside === '' || inside.endsWith('/') ? `${inside}index.html` : inside;
    if (!site.has(target)) return false;
    return anchor === '' || !target.endsWith('.html') || anchorsOf(target).has(decodeURIComponent(anchor));
  };
  const problems: string[] = [];
  for (const [path, text] of site) {
    const isPage = path.endsWith('.html');
    const loads = isPage ? found(text, loading) : path.endsWith('.css') ? found(text, inStyles) : [];
    for (const link of loads.filter((one) => !one.startsWith('data:')))
      if (isOutside(link)) problems.push(`${path} loads "${link}" from elsewhere`);
      else if (!leads(path, link)) problems.push(`${path}: "${link}" leads nowhere`);
    for (const link of isPage ? new Set(found(text, followed)) : [])
      if (!/^[a-z]+:/i.test(link) && !leads(path, link)) problems.push(`${path}: "${link}" leads nowhere`);
  }
  return problems;
}
