import { expect, it } from 'vitest';
import { patternTree } from '../../../src/json/pointer-pattern.ts';
import { keepIgnored } from '../../../src/recordings/drift/keep-ignored.ts';

const LIVE = '{"at": "now", "items": [{"id": 2}, {"id": 1, "etag": {"v": 9}}], "came": 2,  "name": "new"}';

function kept(recorded: { json: never } | { text: string }, ...ignored: string[]) {
  const answer = (body: typeof recorded) => ({ status: 200, headers: {}, body });
  return keepIgnored(answer(recorded), answer({ text: LIVE }), patternTree(ignored)).body;
}

it('takes recorded values for those that are ignored, and leaves each other byte of the text', () => {
  const text = '{"items": [{"id": 1, "etag": {"v":  1}}], "at":"then", "gone": 1, "name": "old"}';
  const ignored = ['/at', '/gone', '/came', '/items/*/etag'];
  const is = (etag: string) => ({
    text: `{"at": "then", "items": [{"id": 2}, {"id": 1, "etag": ${etag}}], "came": 2,  "name": "new"}`,
  });
  expect(kept({ text }, ...ignored)).toEqual(is('{"v":  1}'));
  expect(kept({ json: JSON.parse(text) as never }, ...ignored)).toEqual(is('{"v":1}'));
});

it('leaves a text alone in which nothing is ignored', () => {
  expect(kept({ text: '{"b": 1}' }, '/b')).toEqual({ text: LIVE });
});
