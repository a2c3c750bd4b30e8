import { describe, expect, it } from 'vitest';
import { pathOnOtherSideOfBase } from '../../../src/recordings/matching/elsewhere.ts';
import { addName, type Names } from '../../../src/recordings/store/folder-tree.ts';
import type { RecordingStore } from '../../../src/recordings/store/recording-store.ts';

/** A store of which only the names are asked for. */
function storeOf(paths: readonly string[]): RecordingStore {
  const store: Partial<RecordingStore> = {
    below(path) {
      const names: Names = { methods: new Set(), segments: new Set() };
      for (const one of paths) addName(names, path, { method: 'GET', path: one });
      return names;
    },
  };
  return store as RecordingStore;
}

const REST = '/accounts/current/projects/42';

describe('a path that is not recorded', () => {
  it.each([
    ['without the base path of the recording', [`/api/v2${REST}`], REST, `/api/v2${REST}`],
    ['with one that the recording is without', [REST], `/api/v2${REST}`, REST],
    ['of which only others are recorded', ['/api/v2/accounts/1'], REST, `/api/v2${REST}`],
    ['in a recording of both', ['/accounts/1', `/api/v2${REST}`], REST, `/api/v2${REST}`],
    ['beside paths of something else', ['/health/live', `/api/v2${REST}`], REST, `/api/v2${REST}`],
    ['in no recording of both', ['/accounts/1', '/api/v2/accounts/1'], REST, undefined],
    ['below another base path', [`/api/v2${REST}`], `/v2${REST}`, undefined],
    ['that two base paths have', [`/prod${REST}`, `/staging${REST}`], REST, undefined],
    ['that has no account', ['/api/v2/health', `/api/v2${REST}`], '/health', undefined],
    ['in an empty recording', [], REST, undefined],
  ])('is looked up on the other side of the base path: %s', (_, recorded, sent, expected) => {
    expect(pathOnOtherSideOfBase(storeOf(recorded), 'GET', sent)).toBe(expected);
  });
});
