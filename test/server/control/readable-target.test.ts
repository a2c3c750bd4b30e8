import { expect, it } from 'vitest';
import { isReadableTarget } from '../../../src/server/control/readable-target.ts';

it.each(['/', '/x?y', '//[', '*', 'http://[::1]/x', 'https://a.test:1/x'])('reads %s', (target) =>
  expect(isReadableTarget(target)).toBe(true),
);

it.each(['http://[::1/x', 'http://a:99999/', 'http://a:b/', 'http://', 'x'])('does not read %s', (target) =>
  expect(isReadableTarget(target)).toBe(false),
);
