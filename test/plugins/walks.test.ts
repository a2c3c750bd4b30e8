/** The pages of the three uses are walks: all that they print works when it is pasted. They use the ports that they say. */
import { afterAll, expect, it } from 'vitest';
import { cleanUp } from '../support/binary.ts';
import { walk } from '../support/walk.ts';

afterAll(cleanUp);

it('in front of staging', async () => {
  expect(await walk('src/server/README.md', 'The first request', 'The one target, and TLS')).toEqual([]);
});

it('what a PATCH will destroy', async () => {
  expect(await walk('src/guard/README.md', undefined, 'What the gate knows, and from where')).toEqual([]);
});

it('the gate in CI', async () => {
  expect(await walk('src/commands/check/README.md', 'What it reads', 'Reports')).toEqual([]);
});
