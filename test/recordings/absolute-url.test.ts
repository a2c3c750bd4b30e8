import { expect, it } from 'vitest';
import { absoluteUrl } from '../../src/recordings/absolute-url.ts';

it.each([
  ['http://127.0.0.1:4010', '/a/b', '', 'http://127.0.0.1:4010/a/b'],
  ['http://127.0.0.1:4010', '/a', 'x=1', 'http://127.0.0.1:4010/a?x=1'],
  ['https://h/api/v2', '/a', '', 'https://h/api/v2/a'],
  ['https://h/api/v2/', '/api/v2/a', '', 'https://h/api/v2/a'],
  ['https://h/api', '/api', '', 'https://h/api'],
  ['https://h/api', '/apis', '', 'https://h/api/apis'],
  ['http://h', '*', '', 'http://h/*'],
  ['http://h', '/a/../b//c', '', 'http://h/a/../b//c'],
])('%s and %s', (base, path, query, url) => {
  expect(absoluteUrl({ path, query }, base)).toBe(url);
});
