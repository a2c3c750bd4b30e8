/** The guides are walks: all that they print works when it is pasted. */
import { expect, it } from 'vitest';
import { walk } from '../support/walk.ts';

it.each([
  ['docs/getting-started.md', 'Record a server', 'Next'],
  ['docs/staging.md', 'The first request', 'The target'],
  ['docs/ci.md', 'Check files', 'Reports'],
])('%s works when it is pasted', { tags: 'slow', timeout: 120_000 }, async (page, from, to) => {
  expect(await walk(page, from, to)).toEqual([]);
});
