import { unwrap } from '@moorage/base';
import type { TestApp } from './build-app.ts';

/** Accepts all that customers have invited a caller to. */
export async function acceptAll(client: TestApp['client']): Promise<void> {
  for (const { id } of unwrap(await client.call('memberships.list')).value) {
    unwrap(await client.call('memberships.accept', { params: { membership_id: id } }));
  }
}
