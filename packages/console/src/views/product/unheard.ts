import type { ProductRecord } from '@moorage/api';
import { useEffect } from 'react';
import { type Resource, renew } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
import { after } from '../../browser/time.ts';
import { mayOperate } from './product-actions.ts';

/** How often what no event reports is fetched again, in ms. */
export const unheardMs = 10_000;

const resources: readonly Resource[] = ['products', 'bundles', 'assets'];

/**
 * Events of a product go to those who own, manage or operate it. For everybody else who looks at it, testers and visitors, what
 * is shown is asked for again every so often.
 */
export function useUnheard(product: Pick<ProductRecord, 'role'>): void {
  const admin = useIsAdmin();
  const heard = mayOperate(product, { admin });
  useEffect(() => {
    if (heard) return;
    let cancel = (): void => {};
    const wait = (): void => {
      cancel = after(unheardMs, () => {
        void renew(...resources);
        wait();
      });
    };
    wait();
    return () => cancel();
  }, [heard]);
}
