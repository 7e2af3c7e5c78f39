import { describe, expect, it } from 'vitest';
import { pathPattern, routerPaths } from './paths.ts';

describe('routerPaths', () => {
  it.each([
    ['/api/user', [{ url: '/api/user', rest: undefined }]],
    ['/a/{x}/b/{y}', [{ url: '/a/:x/b/:y', rest: undefined }]],
    ['/a/{x}/files/{path*}', [{ url: '/a/:x/files/*', rest: 'path' }]],
    [
      '/a/{x}/avatar/{y?}',
      [
        { url: '/a/:x/avatar', rest: undefined },
        { url: '/a/:x/avatar/:y', rest: undefined },
      ],
    ],
  ])('of %s', (path, expected) => {
    expect(routerPaths(path)).toEqual(expected);
  });
});

describe('pathPattern', () => {
  it.each([
    ['/api/user', '/api/user', true],
    ['/api/user', '/api/users', false],
    ['/a/{x}', '/a/1', true],
    ['/a/{x}', '/a/', false],
    ['/a/{x}', '/a/1/2', false],
    ['/a/{path*}', '/a/1/2', true],
    ['/a/{x?}', '/a', true],
    ['/a/{x?}', '/a/1', true],
    ['/a/{x}/description.html', '/a/1/descriptionXhtml', false],
  ])('of %s matches %s: %j', (path, url, expected) => {
    expect(pathPattern(path).test(url)).toBe(expected);
  });
});
