import { describe, expect, test } from 'vitest';
import { type OpenApi, openApiPages } from './support/openapi-pages.ts';
import { sidebarOf, sitePages } from './support/site.ts';
import { findDeadLinks } from './support/site-links.ts';

const files = [
  {
    path: 'README.md',
    text: '# Top\n\n[run](docs/guide/run.md), [deploy](deploy), [code](`bin`)\n',
  },
  {
    path: 'docs/guide/run.md',
    text: '# Run `it`\n\n[top](../../README.md#top) [![p](../pictures/a.png)](../reference)\n```run x\n[top](../../README.md)\n```\n[rules](../monitoring/rules.yml) [`x`](../../deploy/x) [out](https://example.com)\n',
  },
  { path: 'docs/guide/ask.md', text: '# Ask' },
  { path: 'docs/guide/README.md', text: '# Guides\n\n[b](run.md)\n' },
  { path: 'docs/reference/README.md', text: '# Reference' },
  { path: 'docs/pictures/a.png', text: '' },
  { path: 'docs/monitoring/rules.yml', text: 'groups: []' },
  { path: 'packages/base/src/index.ts', text: '' },
];

describe('the pages of the site', () => {
  const pages = sitePages(files);

  test('are the Markdown files, and what they show', () => {
    expect([...pages.keys()]).toEqual([
      'index.md',
      'guide/run.md',
      'guide/ask.md',
      'guide/index.md',
      'reference/index.md',
      'pictures/a.png',
      'public/monitoring/rules.yml',
    ]);
  });

  test('link to each other, and name what is in the repository alone', () => {
    expect(pages.get('index.md')).toContain('[run](./guide/run.md), deploy (`deploy`), ');
    expect(pages.get('guide/run.md')).toBe(
      '# Run `it`\n\n[top](../index.md#top) [![p](../pictures/a.png)](../reference/index.md)\n```text\n[top](../../README.md)\n```\n[rules](/monitoring/rules.yml) `x` [out](https://example.com)\n',
    );
  });

  test('stand at the side in the order of the list of guides, then by title', () => {
    const [top, guides] = sidebarOf(pages);
    expect(top?.items).toEqual([{ text: 'Top', link: '/' }]);
    expect(guides?.items).toEqual([
      { text: 'Guides', link: '/guide/' },
      { text: 'Run it', link: '/guide/run' },
      { text: 'Ask', link: '/guide/ask' },
    ]);
  });
});

test('the pages of the OpenAPI document have the fields of bodies, and text that is no Markdown', () => {
  const document: OpenApi = {
    tags: [{ name: 'Data of devices' }],
    info: { description: 'Lists are arrays.' },
    paths: {
      '/api/x/{id}': {
        put: {
          operationId: 'x.set',
          tags: ['Data of devices'],
          summary: 'Set {{x}} of <b>',
          security: [{ bearer: [] }],
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 40 } }],
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['a'],
                  properties: {
                    a: {
                      anyOf: [
                        { type: 'array', items: { type: 'object', properties: { b: { enum: [1] } } } },
                        { type: 'null' },
                      ],
                    },
                  },
                },
              },
            },
          },
          responses: { 200: { description: 'Success' }, 404: { description: 'Not found' } },
        },
      },
    },
  };
  const pages = openApiPages(document);
  const page = pages.get('api/data-of-devices.md');
  expect(page).toContain('## PUT `/api/x/{id}` {#x-set}');
  expect(page).toContain('Set &#123;&#123;x}} of &#60;b>. A bearer token is needed. Name in clients: `x.set`.');
  expect(page).toContain('| **`id`** | string, path | up to 40 characters |');
  expect(page).toContain('| **`a`** | list of object or null |  |\n| `a[].b` | `1` |  |');
  expect(page).toContain('Refusals: 404 Not found.');
  expect(pages.get('api/index.md')).toContain('[`PUT /api/x/{id}`](./data-of-devices.md#x-set)');
});

describe('links of a built site', () => {
  const page = (body: string) =>
    new Map([
      ['a.html', body],
      ['b/index.html', '<h2 id="c">'],
      ['x.css', ''],
    ]);

  test.each([
    '<a href="b/index.html#c">',
    '<a class="x" href="/b/">',
    '<a href="#d"><p id="d">',
    '<a href="https://example.com/">',
    '<link rel="stylesheet" href="/x.css">',
    '<img src="data:image/png;base64,AA">',
  ])('%s is right', (body) => expect(findDeadLinks(page(body))).toEqual([]));

  test.each([
    ['<a href="b/index.html#d">', 'a.html: "b/index.html#d" leads nowhere'],
    ['<a href="c.html">', 'a.html: "c.html" leads nowhere'],
    ['<img alt="" src="/y.png">', 'a.html: "/y.png" leads nowhere'],
    ['<script src="https://example.com/x.js">', 'a.html loads "https://example.com/x.js" from elsewhere'],
    ['<link href="//example.com/x.css">', 'a.html loads "//example.com/x.css" from elsewhere'],
  ])('%s is not', (body, problem) => expect(findDeadLinks(page(body))).toEqual([problem]));

  test('lie under the path that the site is built for', () => {
    expect(findDeadLinks(page('<a href="/m/b/">'), '/m/')).toEqual([]);
    expect(findDeadLinks(page('<a href="/b/">'), '/m/')).toEqual(['a.html: "/b/" leads nowhere']);
  });
});
