import { expect, it } from 'vitest';
import { isColoured } from '../../src/commands/is-coloured.ts';

const TERMINAL = { isTTY: true };
const PIPE = {};

it.each([
  [TERMINAL, {}, true],
  [PIPE, {}, false],
  [TERMINAL, { NO_COLOR: '1' }, false],
  [TERMINAL, { NO_COLOR: '' }, true],
  [TERMINAL, { TERM: 'dumb' }, false],
  [PIPE, { FORCE_COLOR: '' }, true],
  [PIPE, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  [TERMINAL, { FORCE_COLOR: '0' }, false],
  [TERMINAL, { FORCE_COLOR: 'false' }, false],
])('%j with %j: %j', (stream, env, expected) => {
  expect(isColoured(stream, env)).toBe(expected);
});
