/** The page on the inspector is a walk: all that it prints works when it is pasted. */
import { expect, it } from 'vitest';
import { walk } from '../support/walk.ts';

it('the page on the inspector', { tags: 'slow' }, async () => {
  expect(await walk('docs/inspector.md')).toEqual([]);
});
