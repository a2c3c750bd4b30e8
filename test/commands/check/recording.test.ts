import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordingOf } from '../../../src/commands/check/recording.ts';
import { locationOf } from '../../../src/recordings/store/location.ts';
import { exchange } from '../../support/exchanges.ts';

const PATH = '/api/v2/accounts/current/projects/42';
const PATCH = exchange({ path: PATH });
const CWD = '/srv/tests';

describe('the recording of a file', () => {
  it.each([
    [`recordings/checkout${PATH}/PATCH.json`, '/srv/tests/recordings/checkout'],
    [`./recordings/../recordings/checkout${PATH}/PATCH.json`, '/srv/tests/recordings/checkout'],
    [`/elsewhere${PATH}/PATCH.json`, '/elsewhere'],
    [`${PATH.slice(1)}/PATCH.json`, '/srv/tests'],
  ])('%s: %s', (file, folder) => {
    expect(recordingOf(resolve(CWD, file), [PATCH, PATCH])).toBe(folder);
  });

  it('is found whatever the path needs to be a file', () => {
    for (const path of ['/Über/~x/con', 'no/slash', `/${'x'.repeat(700)}`, '//', '/']) {
      const file = `r/${locationOf('GET', path)}`;
      expect(recordingOf(resolve(CWD, file), [exchange({ method: 'GET', path })])).toBe('/srv/tests/r');
    }
  });

  it.each([
    ['under another name', `r${PATH}/moved.json`, [PATCH]],
    ['of another method', `r${PATH}/GET.json`, [PATCH]],
    ['in another folder', 'r/api/v2/accounts/current/projects/43/PATCH.json', [PATCH]],
    ['with part of the name only', `r${PATH}/xPATCH.json`, [PATCH]],
    ['of several paths', `r${PATH}/PATCH.json`, [PATCH, exchange({ path: '/accounts/current/projects/42' })]],
    ['of several methods', `r${PATH}/PATCH.json`, [PATCH, exchange({ path: PATH, method: 'GET' })]],
    ['without exchanges', `r${PATH}/PATCH.json`, []],
    ['from standard input', undefined, [PATCH]],
  ])('is not known of one %s', (_, file, exchanges) => {
    expect(recordingOf(file && resolve(CWD, file), exchanges)).toBeUndefined();
  });
});
