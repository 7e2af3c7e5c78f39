import { useEffect, useRef } from 'react';
import { useLocation, useSearch } from 'wouter';

/**
 * Does something once when the address asks for it, as in `/devices?new=1`, and takes that out of the address: who goes
 * back or reloads is not asked again.
 */
export function useAskedFor(name: string, act: () => void): void {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const answered = useRef<string>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is done does not matter to when it is done
  useEffect(() => {
    const query = new URLSearchParams(search);
    // Development runs effects twice.
    if (!query.has(name) || answered.current === search) return;
    answered.current = search;
    query.delete(name);
    navigate(query.size > 0 ? `${path}?${query}` : path, { replace: true });
    act();
  }, [search, name]);
  if (!search.includes(name)) answered.current = undefined;
}
