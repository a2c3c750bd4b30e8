import { test } from 'node:test';
import { testRule } from 'patchgate/testing';
import { environmentNames } from './environment-names.mjs';
import { protectedEnvironments } from './protected-environments.mjs';

const fails = [{ body: { environments: [{ id: 1, name: 'Prod' }] }, pointers: ['/environments/0/name'] }];

test('team.environment-names', () => testRule(environmentNames, { fails }));

test('team.protected-environments', () => testRule(protectedEnvironments));
