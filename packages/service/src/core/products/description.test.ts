import { unwrap } from '@moorage/base';
import markdownIt from 'markdown-it';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { eachDatabase } from '../../testing/index.ts';
import { type ProductScene, productScene } from '../../testing/product-scene.ts';
import { descriptionHtml, renderedLimit } from './description.ts';

describe('description', () => {
  it.each([
    ['# Title', '<h1>Title</h1>\n'],
    ['*a* **b** `c`', '<p><em>a</em> <strong>b</strong> <code>c</code></p>\n'],
    ['- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n'],
    [
      '|a|\n|-|\n|b|',
      '<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>\n',
    ],
    [
      '[a](https://example.com/?b&c)',
      '<p><a href="https://example.com/?b&amp;c" rel="noopener noreferrer nofollow">a</a></p>\n',
    ],
    ['[a](mailto:a@example.com)', '<p><a href="mailto:a@example.com" rel="noopener noreferrer nofollow">a</a></p>\n'],
    ['![a](/pictures/b.png)', '<p><img src="/pictures/b.png" alt="a"></p>\n'],
    ['', ''],
  ])('%j is rendered as Markdown', (text, html) => {
    expect(descriptionHtml(text)).toBe(html);
  });

  /** What an author may try; none of it may become an element, an attribute or a link of its own. */
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<iframe src="https://example.com">',
    '<a href="javascript:alert(1)">a</a>',
    '<!-- --><svg onload=alert(1)>',
    '<style>*{display:none}</style>',
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](java&#x73;cript:alert(1))',
    '[a](&#106;avascript:alert(1))',
    '[a](<java\tscript:alert(1)>)',
    '[a](\u0001javascript:alert(1))',
    '[a](vbscript:msgbox(1))',
    '[a](data:text/html;base64,PHNjcmlwdD4=)',
    '[a](file:///etc/passwd)',
    '[a](ftp://example.com/)',
    '![a](data:image/svg+xml;base64,PHN2Zz4=)',
    '![a](javascript:alert(1))',
    '<javascript:alert(1)>',
    '[a]: javascript:alert(1)\n\n[a]',
    '[a](https://example.com "x\\" onmouseover=\\"alert(1)")',
    '![x" onerror="alert(1)](https://example.com/a.png)',
    '`<script>`\n\n    <script>alert(1)</script>\n\n```<script>\nalert\n```',
    '```"><script>alert(1)</script>\nx\n```',
    '[<img src=x onerror=alert(1)>](https://example.com)',
  ])('%j brings in nothing that runs', (text) => {
    const html = descriptionHtml(text);
    const elements = [...html.matchAll(/<([^>]*)>/g)].map(([, inner = '']) => inner);
    for (const element of elements) {
      expect(element).toMatch(/^\/?(p|a|img|code|pre|em|strong|h[1-6]|ul|ol|li)\b/);
      // Outside of quoted values there is no attribute but these.
      const names = [...element.replace(/"[^"]*"/g, '""').matchAll(/\s([^\s=]+)=/g)].map(([, name = '']) => name);
      for (const name of names) expect(['href', 'src', 'alt', 'title', 'rel', 'class']).toContain(name);
    }
    for (const [, address = ''] of html.matchAll(/(?:href|src)="([^"]*)"/g))
      expect(address).toMatch(/^(https?:|mailto:|[^:]*$)/);
  });

  const worst = (pattern: string) => pattern.repeat(renderedLimit / pattern.length);
  it.each([
    ['brackets', worst('[')],
    ['open links', worst('[a')],
    ['stars', worst('*a ')],
    ['quotes', worst('>')],
    ['lists', worst('- ')],
    ['links', worst('[a](')],
    ['cells', `|a|\n|-|\n${worst('|a|\n').slice(8)}`],
    ['backticks', Array.from({ length: 170 }, (_, number) => '`'.repeat(number)).join(' ')],
    ['entities', worst('&#x73;')],
  ])('of nothing but %s, as long as it is rendered, is soon done, and at once the second time', (_, text) => {
    const render = vi.spyOn(markdownIt.prototype, 'render');
    const first = descriptionHtml(text);
    expect(first).not.toMatch(/^<pre>/);
    expect(descriptionHtml(text)).toBe(first);
    expect(render).toHaveBeenCalledOnce();
    render.mockRestore();
  });

  it('that is longer than is rendered is shown as it was typed', () => {
    const text = `# <b>&"${'a'.repeat(renderedLimit)}`;
    expect(descriptionHtml(text)).toBe(`<pre># &lt;b&gt;&amp;&quot;${'a'.repeat(renderedLimit)}</pre>\n`);
  });
});

eachDatabase('description.html', (open) => {
  let scene: ProductScene;
  beforeAll(async () => {
    scene = await productScene(await open());
  });

  const get = (id: string, token: string) =>
    scene.app.api.inject({
      method: 'GET',
      url: `/api/products/${id}/description.html`,
      headers: { authorization: `Bearer ${token}` },
    });

  // API-EP-GET-products-product_id-description.html
  it('is the description as HTML', async () => {
    const product = await scene.add();
    const body = { code: product.code, description: '# Größe\n<script>' };
    unwrap(await scene.as('owner').call('products.update', { params: { product_id: product.id }, body }));
    const reply = await get(product.id, scene.people.tester.token);
    expect([reply.statusCode, reply.body]).toEqual([200, '<h1>Größe</h1>\n<p>&lt;script&gt;</p>\n']);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
  });

  it('is for those who may read the product', async () => {
    const product = await scene.add();
    const { stranger, owner } = scene.people;
    expect((await get(product.id, stranger.token)).statusCode).toBe(404);
    expect((await get(product.id, 'nobody')).statusCode).toBe(401);
    expect((await get('none', owner.token)).statusCode).toBe(400);
    const published = await scene.add({ state: 'published' });
    expect((await get(published.id, stranger.token)).statusCode).toBe(200);
  });

  // API-EP-POST-markdown
  it('can be seen before it is saved', async () => {
    const preview = (token: string, text: string) =>
      scene.app.api.inject({
        method: 'POST',
        url: '/api/markdown',
        headers: { authorization: `Bearer ${token}` },
        payload: { text },
      });
    const { stranger } = scene.people;
    const reply = await preview(stranger.token, '*Größe*\n<script>');
    expect([reply.statusCode, reply.body]).toEqual([200, '<p><em>Größe</em>\n&lt;script&gt;</p>\n']);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect((await preview('nobody', 'a')).statusCode).toBe(401);
    expect((await preview(stranger.token, 'a'.repeat(65_537))).statusCode).toBe(400);
  });
});
