import { expect, test } from 'vitest';
import { openStorage } from '../../open.ts';

test('a limit is a part of the text, so that a statement is prepared once', async () => {
  const storage = await openStorage('sqlite::memory:');
  try {
    const limited = storage.db.selectFrom('users').select('id').limit(7);
    expect(limited.compile()).toMatchObject({ sql: expect.stringMatching(/ limit 7$/), parameters: [] });
    expect(await limited.execute()).toHaveLength(0);
  } finally {
    await storage.close();
  }
});
