/** A path of the contract as the router spells it. */
export interface RouterPath {
  readonly url: string;
  /** The contract's name of what `*` matches. */
  readonly rest: string | undefined;
}

/**
 * Spec: API-RULE-paths-3, API-RULE-paths-4.
 *
 * The routes of a contract path: `{x}` is one segment, `{x*}` the rest of the path, and a path that ends in `{x?}`
 * is two routes, with and without it.
 */
export function routerPaths(path: string): RouterPath[] {
  const rest = /\{(\w+)\*\}$/.exec(path)?.[1];
  const optional = /^(.*)\/\{\w+\?\}$/.exec(path)?.[1];
  const url = path.replace(/\{\w+\*\}$/, '*').replace(/\{(\w+)\??\}/g, ':$1');
  const whole = { url, rest };
  if (optional === undefined) return [whole];
  return [{ url: optional.replace(/\{(\w+)\}/g, ':$1'), rest: undefined }, whole];
}

/** Matches the paths of requests that a contract path stands for. */
export function pathPattern(path: string): RegExp {
  const pattern = path
    .split('/')
    .slice(1)
    .map((segment) => {
      if (/^\{\w+\*\}$/.test(segment)) return '/.*';
      if (/^\{\w+\?\}$/.test(segment)) return '(?:/[^/]*)?';
      if (/^\{\w+\}$/.test(segment)) return '/[^/]+';
      return `/${segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`;
    })
    .join('');
  return new RegExp(`^${pattern}$`);
}
