import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { type BundleScene, bundleScene } from '../../testing/bundle-scene.ts';
import { eachDatabase } from '../../testing/index.ts';

eachDatabase('bundles changed by many at once', (open) => {
  let client: BundleScene['client'];
  let request: BundleScene['request'];
  let addProduct: BundleScene['addProduct'];
  let add: BundleScene['add'];
  let get: BundleScene['get'];
  let setState: BundleScene['setState'];
  let setTag: BundleScene['setTag'];
  let given: BundleScene['given'];
  beforeAll(async () => {
    ({ client, request, addProduct, add, get, setState, setTag, given } = await bundleScene(await open()));
  });

  it('twenty creators without a version get twenty consecutive ones', async () => {
    const { id } = await addProduct();
    const made = await Promise.all(Array.from({ length: 20 }, () => add(id)));
    const versions = made.map(({ version }) => version).toSorted();
    expect(versions).toEqual(Array.from({ length: 20 }, (_, index) => `0.0.0.${index + 1}`).toSorted());
  });

  it('twenty creators of one version: one gets it, the others are refused', async () => {
    const { id } = await addProduct();
    const replies = await Promise.all(Array.from({ length: 20 }, () => request(id, '1.0.0.0')));
    const statuses = replies.map((reply) => (reply.ok ? 200 : reply.error.status));
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
  });

  // API-RULE-tag-1
  it('twenty taggers leave exactly one bundle with the tag', async () => {
    const { id } = await addProduct();
    const bundles = await Promise.all(Array.from({ length: 20 }, () => given(id, 'published')));
    const replies = await Promise.all(bundles.map((bundle) => setTag(bundle.id, 'release')));
    expect(replies.map((reply) => (reply.ok ? 200 : reply.error.body))).toEqual(bundles.map(() => 200));
    const listed = unwrap(await client.call('bundles.list', { params: { product_id: id }, query: { tag: 'release' } }));
    expect(listed.value).toHaveLength(1);
  });

  it('taggers and archivers of one bundle never leave it tagged and archived', async () => {
    const { id } = await addProduct();
    const bundle = await given(id, 'published');
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        index % 2 === 0 ? setTag(bundle.id, 'beta') : setState(bundle.id, 'archive'),
      ),
    );
    for (const reply of replies) if (!reply.ok) expect(reply.error.status).toBe(409);
    const { state, tag } = await get(bundle.id);
    expect([
      ['published', 'beta'],
      ['archive', null],
    ]).toContainEqual([state, tag]);
  });

  it('a file is added once however often it is sent', async () => {
    const { id } = await addProduct();
    const bundle = await given(id, 'preview');
    const call = { params: { bundle_id: bundle.id }, body: { filename: 'a.bin', base64: 'YQ==' } };
    const replies = await Promise.all(Array.from({ length: 20 }, () => client.call('bundles.addResource', call)));
    expect(replies.filter((reply) => reply.ok)).toHaveLength(1);
    expect((await get(bundle.id)).resources).toHaveLength(1);
  });
});
