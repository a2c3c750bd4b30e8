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
import type { RecordingStore } from '../../../src/recordings/store/recording-store.ts';
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

describe('where the rest of the path is recorded elsewhere', () => {
  it.each([
    [
      `PATCH /api/v2/${REST}`,
      `/staging/api/v2/${REST}`,
      'other-base-path',
      'the same is under another base path: recorded /api/v2, sent /staging/api/v2',
      "end the client's base URL with /api/v2 in place of /staging/api/v2",
    ],
    [
      `PATCH /${REST}`,
      `/api/v2/${REST}`,
      'other-base-path',
      'the same is under another base path: recorded /, sent /api/v2',
      "end the client's base URL with / in place of /api/v2",
    ],
    [
      'PATCH /api/v2/accounts/123/projects/42',
      `/api/v2/${REST}`,
      'other-account',
      'the same is for another account: recorded 123, sent current',
      'ask for the account 123',
    ],
    [
      'PATCH /accounts/123/projects',
      '/accounts/current/projects',
      'other-account',
      'the same is for another account: recorded 123, sent current',
      'ask for the account 123',
    ],
    [
      'PATCH /v1/accounts/123/projects/42',
      `/v2/${REST}`,
      'other-base-path',
      'the same is under another base path: recorded /v1, sent /v2; and for another account: recorded 123, sent current',
      "end the client's base URL with /v1 in place of /v2 and ask for the account 123",
    ],
    [
      'PATCH /api/v1/things/42',
      '/api/v2/things/42',
      'other-base-path',
      'the same is under another base path: recorded /api/v1, sent /api/v2',
      "end the client's base URL with /api/v1 in place of /api/v2",
    ],
  ])('as %s, and %s is sent, it is %s', (recorded, path, reason, why, hint) => {
    const others = ['GET /api/v2/accounts/7/projects/1', 'GET /other', 'PATCH /api/v2/accounts/7/projects/1'];
    const miss = explain([...others, recorded], path);
    const [method, place] = recorded.split(' ');
    expect(miss).toEqual({
      recording: 'demo',
      reason,
      text: `nothing is recorded for PATCH ${path} in the recording "demo", but ${why}`,
      hint: `${hint}, or record this one: patchgate proxy <target> --record --recording demo`,
      nearest: { method, path: place },
    });
  });

  it('the one with the longest rest is named', () => {
    const { nearest } = explain(
      ['PATCH /accounts/9/projects/42', `PATCH /a/${REST}`, 'PATCH /b/accounts/9/projects/42'],
      `/x/${REST}`,
    );
    expect(nearest?.path).toBe(`/a/${REST}`);
  });

  it('one segment alone is no rest, but below an account', () => {
    expect(explain(['PATCH /v1/health'], '/v2/health').reason).toBe('not-recorded');
    expect(explain(['PATCH /v1/accounts/9'], '/v2/accounts/9').reason).toBe('other-base-path');
  });

  it('only the same method counts', () => {
    const { reason } = explain([`GET /api/${REST}`], `/${REST}`);
    expect(reason).toBe('not-recorded');
  });

  it('it is found among any number of paths, by a bounded number of looks', { tags: 'slow' }, () => {
    const many = Array.from({ length: 5000 }, (_, i) => `PATCH /api/v2/accounts/current/projects/${i + 100}`);
    const store = storeOf([...many, `PATCH /staging/api/v2/${REST}`]);
    const { request } = exchange({ path: `/api/v2/${REST}` });
    const { reason, nearest } = explainPath(store, new SentRequest(request));
    expect([reason, nearest?.path]).toEqual(['other-base-path', `/staging/api/v2/${REST}`]);
    expect(store.asked).toBeLessThan(2000);
    const missing = storeOf(many);
    explainPath(missing, new SentRequest(exchange({ path: '/a/b/c/d/e/f/g/h' }).request));
    expect(missing.asked).toBeLessThan(3000);
    const long = storeOf(['PATCH /a/a/a/a/b']);
    explainPath(long, new SentRequest(exchange({ path: '/a'.repeat(5000) }).request));
    expect(long.asked).toBeLessThan(10);
  });
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
