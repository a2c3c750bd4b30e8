/** The pages of the three uses are walks: all that they print works when it is pasted. They use the ports that they say. */
import { expect, it } from 'vitest';
import { walk } from '../support/walk.ts';

it('getting started', async () => {
  expect(await walk('docs/getting-started.md', 'Record a server', 'Then')).toEqual([]);
});

it('in front of staging', async () => {
  expect(await walk('docs/proxy.md', 'The first request', 'Stopping')).toEqual([]);
});

it('what a PATCH will destroy', async () => {
  expect(await walk('docs/guard.md', undefined, 'From the terminal')).toEqual([]);
});

it('the gate in CI', async () => {
  expect(await walk('docs/ci.md', 'What it reads', 'Reports')).toEqual([]);
});
