import { describe, expect, it } from 'vitest';
import {
  explainPath,
  type Miss,
  pathOnOtherSideOfBase,
} from '../../../src/recordings/matching/explain-path.ts';
import { matchRules } from '../../../src/recordings/matching/match-rules.ts';
import { SentRequest } from '../../../src/recordings/matching/request-form.ts';
import { redactionOf } from '../../../src/recordings/redaction/redaction.ts';
import { addName, type Names } from '../../../src/recordings/store/folder-tree.ts';
import type { RecordingStore } from '../../../src/recordings/store.ts';
import { exchange } from '../../support/exchanges.ts';

/** A store of which only the paths are asked for; counts how often. */
function storeOf(lines: readonly string[]): RecordingStore & { asked: number } {
  const places = lines.map((line) => {
    const [method = '', path = ''] = line.split(' ');
    return { method, path };
  });
  const store = {
    name: 'demo',
    asked: 0,
    below(path: string) {
      store.asked++;
      const names: Names = { methods: new Set(), segments: new Set() };
      for (const place of places) addName(names, path, place);
      return names;
    },
    *places() {
      for (const place of places) {
        store.asked++;
        yield place;
      }
    },
  };
  return store as Partial<RecordingStore> as RecordingStore & { asked: number };
}

function explain(lines: readonly string[], path: string, rules = matchRules()): Miss {
  return explainPath(storeOf(lines), new SentRequest(exchange({ path }).request, rules));
}

const REST = 'accounts/current/projects/42';

it('is found among any number of paths, by a bounded number of looks', { tags: 'slow' }, () => {
  const many = Array.from({ length: 5000 }, (_, i) => `PATCH /api/v2/accounts/current/projects/${i + 100}`);
  const missing = storeOf(many);
  explainPath(missing, new SentRequest(exchange({ path: '/a/b/c/d/e/f/g/h' }).request));
  expect(missing.asked).toBeLessThan(3000);
  const long = storeOf(['PATCH /a/a/a/a/b']);
  explainPath(long, new SentRequest(exchange({ path: '/a'.repeat(5000) }).request));
  expect(long.asked).toBeLessThan(10);
});

it('names the methods that its path is recorded for', () => {
  const miss = explain([`PUT /${REST}`, `GET /${REST}`, `PATCH /a/${REST}`], `/${REST}`);
  expect(miss.reason).toBe('other-method');
  expect(miss.text).toBe(
    `nothing is recorded for PATCH /${REST} in the recording "demo", but its path is for GET, PUT`,
  );
  expect(miss.hint).toMatch(/^send a method that is recorded, or record this one/);
  expect(miss.nearest).toEqual({ method: 'GET', path: `/${REST}` });
});

describe('where one id alone is another', () => {
  it.each([
    [[`PATCH /${REST}`], '/accounts/current/projects/43', 'projects/42', 'projects/43'],
    [[`PATCH /${REST}/features/7`], '/accounts/current/projects/43/features/7', 'projects/42', 'projects/43'],
    [[`PATCH /${REST}/features/7`, `PATCH /${REST}/x/8`], `/${REST}/features/8`, 'features/7', 'features/8'],
    [['PATCH /p/new', 'PATCH /p/900', 'PATCH /p/1'], '/p/42', 'p/1', 'p/42'],
    [['PATCH /p/7', 'PATCH /p/new'], '/p/old', 'p/new', 'p/old'],
    [['PATCH /a'], '/b', 'a', 'b'],
  ])('of %j, %s is told by %s and %s', (recorded, path, before, now) => {
    const { text, reason } = explain(recorded, path);
    expect(reason).toBe('not-recorded');
    expect(text).toMatch(new RegExp(`; the nearest is PATCH .*: recorded for ${before}, sent for ${now}$`));
  });
});

describe('where nothing of this is so', () => {
  it.each([
    [['GET /x', 'GET /api/v2/projects/42', 'PATCH /v2/projects/43'], 'GET /api/v2/projects/42'],
    [['GET /x/y', 'PATCH /api/z/projects'], 'PATCH /api/z/projects'],
  ])('of %j the nearest is %s', (paths, nearest) => {
    const miss = explain(paths, '/api/v3/projects/42/y');
    expect(miss.text).toBe(
      'nothing is recorded for PATCH /api/v3/projects/42/y in the recording "demo"; ' +
        `the nearest is ${nearest}`,
    );
    expect(`${miss.nearest?.method} ${miss.nearest?.path}`).toBe(nearest);
  });

  it('says so of an empty recording', () => {
    expect(explain([], '/a')).toEqual({
      recording: 'demo',
      reason: 'empty',
      text: 'nothing is recorded for PATCH /a in the recording "demo", which is empty',
      hint: 'record something first: patchgate proxy <target> --record --recording demo; or give another name with --recording',
    });
  });
});

it('shows no secret of a path', () => {
  const rules = matchRules({}, redactionOf({ redactPatterns: ['s3cret\\w*'] }));
  for (const lines of [['PATCH /s3cret1/b/c'], ['GET /a/s3cret2'], ['PATCH /s3cret3/x']]) {
    expect(JSON.stringify(explain(lines, '/a/b/c', rules))).not.toContain('s3cret');
  }
});

describe('a path that is not recorded', () => {
  const PATH = `/${REST}`;

  it.each([
    ['without the base path of the recording', [`/api/v2${PATH}`], PATH, `/api/v2${PATH}`],
    ['with one that the recording is without', [PATH], `/api/v2${PATH}`, PATH],
    ['of which only others are recorded', ['/api/v2/accounts/1'], PATH, `/api/v2${PATH}`],
    ['in a recording of both', ['/accounts/1', `/api/v2${PATH}`], PATH, `/api/v2${PATH}`],
    ['beside paths of something else', ['/health/live', `/api/v2${PATH}`], PATH, `/api/v2${PATH}`],
    ['in no recording of both', ['/accounts/1', '/api/v2/accounts/1'], PATH, undefined],
    ['below another base path', [`/api/v2${PATH}`], `/v2${PATH}`, undefined],
    ['that two base paths have', [`/prod${PATH}`, `/staging${PATH}`], PATH, undefined],
    ['that has no account', ['/api/v2/health', `/api/v2${PATH}`], '/health', undefined],
    ['in an empty recording', [], PATH, undefined],
  ])('is looked up on the other side of the base path: %s', (_, recorded, sent, expected) => {
    expect(pathOnOtherSideOfBase(storeOf(recorded.map((one) => `GET ${one}`)), 'GET', sent)).toBe(expected);
  });
});
