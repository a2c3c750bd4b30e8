import { describe, expect, it } from 'vitest';
import { PatchgateError } from '../../../src/errors.ts';
import { decodeRecording, parseRecording } from '../../../src/recordings/store/file-format.ts';
import { exchange, PROJECT_PATH, stringifyRecording } from '../../support/exchanges.ts';

const FULL = exchange({
  query: 'a=1',
  body: { json: { name: 'ü', list: [1] }, indent: 2, newline: true },
  headers: { 'content-type': 'text/plain', vary: ['a', 'b'] },
  answer: { text: 'done\n' },
});

function refusal(text: string, place?: { method: string; path: string }): PatchgateError {
  try {
    parseRecording(text, 'r/GET.json', place);
  } catch (error) {
    if (error instanceof PatchgateError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

/** The text of a good file in which one piece is another. */
function spoilt(piece: string, other: string): string {
  const text = stringifyRecording([FULL]);
  expect(text).toContain(piece);
  return text.replace(piece, other);
}

describe('stringifyRecording', () => {
  it('is two-space JSON in the order of the format, with a line feed at the end', () => {
    const { meta, response, request } = FULL;
    const { body, headers, ...rest } = request;
    const shuffled = { meta, response, request: { body, headers, ...rest } } as typeof FULL;
    expect(stringifyRecording([shuffled])).toBe(
      `${JSON.stringify({ formatVersion: 1, exchanges: [FULL] }, null, 2)}\n`,
    );
  });

  it('gives back what was read, unknown members too', () => {
    const text = spoilt('"meta": {', '"comment": "by hand",\n      "meta": {');
    const again = stringifyRecording(parseRecording(text, 'r').exchanges);
    expect(JSON.parse(again)).toEqual(JSON.parse(text));
    expect(stringifyRecording(parseRecording(again, 'r').exchanges)).toBe(again);
  });
});

describe('parseRecording', () => {
  it('reads what was written', () => {
    expect(parseRecording(stringifyRecording([FULL]), 'r').exchanges).toEqual([FULL]);
    expect(parseRecording('{"formatVersion":1,"exchanges":[]}', 'r').exchanges).toEqual([]);
  });

  it.each([
    ['empty', '', 'r/GET.json:1:1: the file is empty'],
    ['white space', ' \n', 'r/GET.json:1:1: the file is empty'],
    ['truncated', '{\n  "formatVersion": 1,\n  "exch', 'r/GET.json:3:'],
    ['a comma too many', '{\n  "formatVersion": 1,\n}', 'r/GET.json:3:1: '],
    ['no object', '[]', 'r/GET.json:1:1: an object is expected'],
    ['of no version', '{ "exchanges": [] }', 'r/GET.json:1:2: formatVersion must be 1'],
    ['of a newer version', '{\n "formatVersion": 2}', 'r/GET.json:2:19: the file is of format 2'],
    ['without exchanges', '{ "formatVersion": 1 }', 'r/GET.json:1:2: exchanges must be a list'],
    [
      'of two lists',
      '{"formatVersion":1,"exchanges":[],\n"exchanges":[]}',
      'r/GET.json:2:1: exchanges stands here for the second time',
    ],
    [
      'with a null exchange',
      '{"formatVersion":1,"exchanges":[null]}',
      'r/GET.json:1:33: /exchanges/0 must be an object',
    ],
  ])('refuses a file that is %s', (_, text, message) => {
    const error = refusal(text);
    expect(error.code).toBe('bad-recording');
    expect(error.message).toContain(message);
    expect(error.hint).toBeTruthy();
  });

  it('takes a body that has such a list', () => {
    const text = spoilt('"text": "done\\n"', '"json": {"exchanges": [], "a": {"exchanges": 1}}');
    expect(parseRecording(text, 'r').exchanges).toHaveLength(1);
  });

  it('says of a truncated file that it ends too early', () => {
    const text = stringifyRecording([FULL]);
    for (const length of [1, 10, 100, 300, text.length - 2]) {
      expect(refusal(text.slice(0, length)).message).toContain('the file ends too early');
    }
  });

  // The mark stands where the message must point to.
  it.each([
    ['"method": "PATCH"', '"method": «1', '/request/method must be a text'],
    ['"query": "a=1"', '"query": «null', '/request/query must be a text'],
    ['"content-type": "application/json"', '"content-type": «1', 'must be a text or a list of texts'],
    ['"content-type": "application/json"', '"Content-Type": «"a"', 'is no header name in lower case'],
    ['"text/plain"', '«"a\\r\\nb: c"', 'has a character that no header may have'],
    ['"status": 200', '"status": «"200"', '/response/status must be an integer'],
    ['"indent": 2', '"indent": «11', '/request/body/indent must be'],
    ['"indent": 2', '"spaced": «1', '/request/body/spaced must be true'],
    ['"body": {\n          "text"', '"body": «{\n          "txt"', '/response/body must have one of'],
    ['"text": "done\\n"', '"base64": «"a"', 'must be base64'],
    ['"recordedAt": "2026', '"recordedAt": «"x2026', '/meta/recordedAt must be a time'],
    ['"durationMs": 12', '"durationMs": «"12"', '/meta/durationMs must be a number'],
    ['"durationMs": 12', '"durationMs": 12, "session": «1', "/meta/session must be a session's name"],
    ['"durationMs": 12', '"durationMs": 12, "session": «""', '/meta/session must be'],
    ['"durationMs": 12', '"durationMs": 12, "session": «"ü"', '/meta/session must be'],
    ['{\n      "request": {', '{«\n      "rquest": {', '/exchanges/0/request must be an object'],
  ])('refuses %j as %j', (piece, other, what) => {
    const marked = spoilt(piece, other);
    const before = marked.slice(0, marked.indexOf('«')).split('\n');
    const { message } = refusal(marked.replace('«', ''));
    expect(message).toContain(`r/GET.json:${before.length}:${(before.at(-1) as string).length + 1}: `);
    expect(message).toContain(what);
  });

  it.each([
    ['"indent": 2', '"spaced": true'],
    ['"text": "done\\n"', '"omitted": 0'],
  ])('takes %j as %j', (piece, other) => {
    expect(parseRecording(spoilt(piece, other), 'r').exchanges).toHaveLength(1);
  });

  it.each([
    ['"text": "done\\n"', '"omitted": «-1', '/response/body/omitted must be a number of bytes'],
    ['"text": "done\\n"', '"omitted": «1.5', '/response/body/omitted must be a number of bytes'],
    ['"body": {\n          "text"', '"body": «{\n          "omitted": 1, "text"', 'must have one of'],
  ])('refuses %j as %j, too', (piece, other, what) => {
    const marked = spoilt(piece, other);
    const before = marked.slice(0, marked.indexOf('«')).split('\n');
    const { message } = refusal(marked.replace('«', ''));
    expect(message).toContain(`r/GET.json:${before.length}:${(before.at(-1) as string).length + 1}: `);
    expect(message).toContain(what);
  });

  it.each([undefined, { kind: 'truncated' }])('refuses an exchange without a response: %j', (failure) => {
    const { response: _, ...rest } = FULL;
    const text = JSON.stringify({ formatVersion: 1, exchanges: [{ ...rest, ...(failure && { failure }) }] });
    expect(refusal(text).message).toContain('/exchanges/0/response must be');
  });

  it('refuses an exchange that lies in the file of another path or method', () => {
    const text = stringifyRecording([FULL]);
    expect(refusal(text, { method: 'PATCH', path: '/other' }).message).toContain(
      `is ${PROJECT_PATH}, but this file is that of /other`,
    );
    expect(refusal(text, { method: 'GET', path: PROJECT_PATH }).message).toContain('is PATCH, but');
  });
});

it('refuses a file of another format', () => {
  const text = JSON.stringify({ formatVersion: -1, entries: [exchange()] }, null, 2);
  expect(refusal(text).message).toContain('r/GET.json:2:20: formatVersion must be 1');
});

describe('decodeRecording', () => {
  it('reads every text', () => {
    for (const text of ['', '{"a":"ü€😀\ufffd"}']) expect(decodeRecording(Buffer.from(text), 'r')).toBe(text);
  });

  it.each([
    [[0x7b, 0xff, 0x7d], '1:2'],
    [[...Buffer.from('{\n"ü\ufffd€'), 0xc3, 0x22], '2:5'],
    [[...Buffer.from('\ufffd\ufffd'), 0xe2, 0x82], '1:3'],
  ])('says where %j is no UTF-8', (bytes, place) => {
    expect(() => decodeRecording(Buffer.from(bytes), 'r')).toThrow(
      expect.objectContaining({ code: 'bad-recording', message: `r:${place}: the file is not valid UTF-8` }),
    );
  });
});
