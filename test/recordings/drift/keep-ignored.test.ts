import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json/json.ts';
import { patternTree } from '../../../src/json/pointer-pattern.ts';
import { keepIgnored } from '../../../src/recordings/drift/keep-ignored.ts';

function kept(recorded: JsonValue, live: JsonValue, ...ignored: string[]) {
  const of = (json: JsonValue) => ({ status: 200, headers: {}, body: { json, indent: 2 } });
  return keepIgnored(of(recorded), of(live), patternTree(ignored)).body;
}

it('keeps what the recording has in the places that are ignored, and takes all else', () => {
  const before = { at: 'then', gone: 1, items: [{ id: 1, etag: 'a' }], name: 'old' };
  const now = { at: 'now', came: 2, items: [{ id: 2 }, { id: 1, etag: 'b', n: 1 }], name: 'new' };
  expect(kept(before, now, '/at', '/gone', '/came', '/items/*/etag')).toEqual({
    indent: 2,
    json: { at: 'then', items: [{ id: 2 }, { id: 1, etag: 'a', n: 1 }], name: 'new', gone: 1 },
  });
  expect(kept(before, now)).toEqual({ indent: 2, json: now });
  expect(kept(before, ['other'], '/at')).toEqual({ indent: 2, json: ['other'] });
});

it('adds nothing to an answer with another status', () => {
  const live = { status: 404, headers: {}, body: { json: { error: 'gone' } } };
  const recorded = { status: 200, headers: {}, body: { json: { at: 'then' } } };
  expect(keepIgnored(recorded, live, patternTree(['/at']))).toBe(live);
});

it('keeps a whole body that is ignored, whatever it is', () => {
  const of = (text?: string) => ({ status: 200, headers: {}, ...(text !== undefined && { body: { text } }) });
  const everything = patternTree(['']);
  expect(keepIgnored(of('<a>'), of('<b>'), everything)).toEqual(of('<a>'));
  expect(keepIgnored(of(), of('<b>'), everything)).toEqual(of());
});

describe('a body that is JSON, and kept as text', () => {
  const LIVE = '{"at": "now", "items": [{"id": 2}, {"id": 1, "etag": {"v": 9}}],  "name": "new"}';
  const of = (text: string) => ({ status: 200, headers: {}, body: { text } });
  const merged = (text: string, ...ignored: string[]) =>
    keepIgnored(of(text), of(LIVE), patternTree(ignored)).body;

  it('is written as JSON once it has a recorded value', () => {
    const recorded = '{"items": [{"id": 1, "etag": {"v":  1}}], "at":"then", "name": "old"}';
    expect(merged(recorded, '/at', '/items/*/etag')).toEqual({
      json: { at: 'then', items: [{ id: 2 }, { id: 1, etag: { v: 1 } }], name: 'new' },
    });
  });

  it('stays as it is where nothing in it is ignored', () => {
    expect(merged('{"b": 1}', '/c')).toEqual({ text: LIVE });
  });
});
