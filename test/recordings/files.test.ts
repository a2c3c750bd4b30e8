import { describe, expect, it } from 'vitest';
import { PatchgateError } from '../../src/errors.ts';
import { decodeRecording, parseRecording } from '../../src/recordings/files.ts';
import { exchange, PROJECT_PATH, stringifyRecording } from '../support/exchanges.ts';

const FULL = exchange({
  query: 'a=1',
  body: { json: { name: 'ü', list: [1] }, indent: 2, newline: true },
  headers: { 'content-type': 'text/plain', vary: ['a', 'b'] },
  answer: { text: 'done\n' },
});
const TEXT = stringifyRecording([FULL]);

function refusal(text: string, place?: { method: string; path: string }): PatchgateError {
  try {
    parseRecording(text, 'r/GET.json', place);
  } catch (error) {
    if (error instanceof PatchgateError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('a file of a recording', () => {
  it.each([
    ['empty', '', 'r/GET.json:1:1: the document ends where'],
    ['cut', '{\n  "formatVersion": 1,\n  "exch', 'r/GET.json:3:8: the document ends where'],
    ['of a comma too many', '{\n  "formatVersion": 1,\n}', 'r/GET.json:3:1: '],
    ['no object', '[]', 'r/GET.json:1:1: the file must be an object'],
    ['of no version', '{ "exchanges": [] }', 'r/GET.json:1:2: /formatVersion is missing'],
    ['of a newer version', '{\n "formatVersion": 2}', 'r/GET.json:2:19: the file is of format 2'],
    ['without exchanges', '{ "formatVersion": 1 }', 'r/GET.json:1:2: /exchanges is missing'],
    ['of null', '{"formatVersion":1,"exchanges":[null]}', 'r/GET.json:1:33: /exchanges/0 must be an object'],
  ])('is refused: %s', (_, text, message) => {
    const error = refusal(text);
    expect(error).toMatchObject({ code: 'bad-recording', message: expect.stringContaining(message) });
    expect(error.hint).toBeTruthy();
  });

  // The mark stands where the message must point to.
  it.each([
    ['"method": "PATCH"', '"method": «1', '/request/method must be a text'],
    ['"query": "a=1"', '"query": «null', '/request/query must be a text'],
    ['"content-type": "application/json"', '"content-type": «1', 'must be a text, or a list of texts'],
    ['"text/plain"', '«"a\\r\\nb: c"', 'of characters that a header may have'],
    ['"status": 200', '"status": «"200"', '/response/status must be an integer'],
    ['"indent": 2', '"indent": «11', '/request/body/indent must be'],
    ['"indent": 2', '"spaced": «1', '/request/body/spaced must be true'],
    [
      '"body": {\n          "text"',
      '"body": «{\n          "txt"',
      '/response/body must be an object with one of',
    ],
    ['"text": "done\\n"', '"base64": «"a!"', 'must be base64'],
    ['"recordedAt": "2026', '"recordedAt": «"x2026', '/meta/recordedAt must be a time'],
    ['"durationMs": 12', '"durationMs": «"12"', '/meta/durationMs must be a number'],
    ['"durationMs": 12', '"durationMs": 12, "session": «"ü"', "/meta/session must be a session's name"],
  ])('is refused with line and column for %j as %j', (piece, other, what) => {
    expect(TEXT).toContain(piece);
    const marked = TEXT.replace(piece, other);
    const before = marked.slice(0, marked.indexOf('«')).split('\n');
    const { message } = refusal(marked.replace('«', ''));
    expect(message).toContain(`r/GET.json:${before.length}:${(before.at(-1) as string).length + 1}: `);
    expect(message).toContain(what);
  });

  it('is refused if an exchange is of another method or path, or not in UTF-8', () => {
    expect(refusal(TEXT, { method: 'GET', path: PROJECT_PATH }).message).toContain('the method is PATCH');
    expect(refusal(TEXT, { method: 'PATCH', path: '/' }).message).toContain(`the path is ${PROJECT_PATH}`);
    const bytes = Buffer.concat([Buffer.from('{\n"ü\ufffd":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect(() => decodeRecording(bytes, 'r/GET.json')).toThrow('r/GET.json:2:7: this is not valid UTF-8');
  });

  it('may have members that the format does not know, and bodies of any kind', () => {
    const text = TEXT.replace('"meta": {', '"comment": "by hand",\n      "meta": {');
    expect(stringifyRecording(parseRecording(text, 'r', FULL.request).exchanges)).toBe(text);
    for (const other of ['"base64": "/wA="', '"json": {"exchanges": []}, "spaced": true'])
      expect(parseRecording(TEXT.replace('"text": "done\\n"', other), 'r').exchanges).toHaveLength(1);
  });
});
