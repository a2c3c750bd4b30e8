import { test } from 'node:test';
import { testRule } from 'patchgate/testing';
import { environmentNames } from './environment-names.mjs';
import { protectedEnvironments } from './protected-environments.mjs';

test('team.environment-names', () =>
  testRule(environmentNames, {
    passes: [{ body: { environments: [{ id: 3, name: 'Development' }] } }],
    fails: [
      {
        body: {
          environments: [
            { id: 1, name: 'Prod' },
            { id: 2, name: 'preview-x' },
          ],
        },
        pointers: ['/environments/0/name', '/environments/1/name'],
      },
    ],
  }));

test('team.protected-environments', () => testRule(protectedEnvironments));
