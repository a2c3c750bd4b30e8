import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/finding.ts';
import type { ShownExchange } from '../../src/server/show-exchange.ts';
import {
  draftOf,
  fieldOf,
  type Judged,
  markedParts,
  offsetOf,
  readHeaders,
  requestOf,
  summaryOf,
} from '../../src/ui/draft.ts';

type Request = ShownExchange['request'];

const REQUEST: Request = {
  method: 'PATCH',
  url: '/api/v2/accounts/current/projects/42',
  headers: {
    host: '127.0.0.1:4010',
    'content-type': 'application/json',
    'content-length': '9',
    accept: ['a', 'b'],
    authorization: '[redacted]',
    'patchgate-approve': 'token',
  },
  body: { json: { a: 1 }, size: 9 },
};

describe('a draft of an exchange', () => {
  it('has its request, without what is secret or made anew', () => {
    expect(draftOf({ request: REQUEST })).toEqual({
      draft: {
        method: 'PATCH',
        url: REQUEST.url,
        headers: 'content-type: application/json\naccept: a\naccept: b',
        body: '{\n  "a": 1\n}',
      },
      notes: [
        'Left out, since what is secret is not shown: authorization, patchgate-approve. Type what is needed.',
      ],
    });
  });

  it.each<[string, Partial<Request>, string]>([
    [
      'a cut body',
      { body: { text: '{"a', size: 100_000, cut: true } },
      'cannot be sent again. Paste it whole',
    ],
    ['a body that is no text', { body: { base64: 'AAA=', size: 2 } }, 'The body is no text'],
    ['a secret in the body', { body: { json: { token: '[redacted]' }, size: 9 } }, 'The body has [redacted]'],
    ['a secret in the URL', { url: '/x?key=[redacted]' }, 'The URL has [redacted]'],
  ])('says so of %s', (_, given, note) => {
    expect(draftOf({ request: { ...REQUEST, headers: {}, ...given } }).notes.join()).toContain(note);
  });

  it('is empty where there was nothing', () => {
    const { draft, notes } = draftOf({ request: { method: 'GET', url: '/x', headers: {} } });
    expect([draft, notes]).toEqual([{ method: 'GET', url: '/x', headers: '', body: '' }, []]);
  });
});

describe('headers', () => {
  it.each<[string, ReturnType<typeof readHeaders>]>([
    ['', { headers: [] }],
    [
      'A: b\n\n c:d ',
      {
        headers: [
          ['A', 'b'],
          ['c', 'd'],
        ],
      },
    ],
    ['A:', { headers: [['A', '']] }],
    ['A: b: c', { headers: [['A', 'b: c']] }],
    ['A: b\nno header', { headers: [['A', 'b']], wrong: 'line 2 is no header: write it as Name: value' }],
  ])('are read from %j', (text, read) => {
    expect(readHeaders(text)).toEqual(read);
  });

  it('are sent as pairs, and no body is none', () => {
    const draft = { method: ' PATCH ', url: ' /x', headers: 'a: b', body: '' };
    expect(requestOf(draft)).toEqual({ method: 'PATCH', url: '/x', headers: [['a', 'b']] });
    expect(requestOf({ ...draft, body: ' ' })).toMatchObject({ body: ' ' });
  });
});

it.each([
  ['/method must be an HTTP method: "PATCH"', 'method'],
  ['/url must be a path that begins with /', 'url'],
  ['/headers/0 must be a pair of name and text', 'headers'],
  ['/body has [redacted] in it', 'body'],
  ['the input is too large', undefined],
])('knows the field of %j', (message, field) => {
  expect(fieldOf(message)).toBe(field);
});

describe('marks', () => {
  const at = (line: number, column: number, severity: Finding['severity'] = 'error'): Finding => ({
    ...{ rule: 'x', severity, basis: 'stated', pointer: '', message: '', line, column },
  });
  const TEXT = '{\n  "ä": "b\\"c",\n  "d": -1.5\n}';

  it.each([
    [1, 1, 0],
    [2, 3, 4],
    [3, 8, TEXT.indexOf('-1.5')],
    [9, 1, TEXT.length],
    [4, 99, TEXT.length],
  ])('line %d, column %d is offset %d', (line, column, offset) => {
    expect(offsetOf(TEXT, line, column)).toBe(offset);
  });

  it('are at the names and values of the findings, the worst of each place', () => {
    const parts = markedParts(TEXT, [
      at(3, 8, 'warn'),
      at(2, 8),
      at(2, 8, 'warn'),
      at(1, 1),
      at(2, 3, 'warn'),
    ]);
    expect(parts.map(({ text }) => text).join('')).toBe(TEXT);
    expect(parts.filter(({ severity }) => severity).map(({ text, severity }) => [text, severity])).toEqual([
      ['{', 'error'],
      ['"ä"', 'warn'],
      ['"b\\"c"', 'error'],
      ['-1.5', 'warn'],
    ]);
  });

  it('are none where there is no place, or no longer', () => {
    const { line: _, ...nowhere } = at(1, 1);
    expect(markedParts(TEXT, [nowhere, at(9, 9)])).toEqual([{ text: TEXT, at: 0 }]);
    expect(markedParts('', [at(1, 1)])).toEqual([]);
  });
});

it.each<[Partial<Judged>, string]>([
  [{ judged: false }, 'Dry run: no operation of the contract concerns it, so it passes unjudged'],
  [{}, 'Dry run: would pass'],
  [{ outcome: 'block', status: 422 }, 'Dry run: would be blocked (422), 1 error, 2 warnings'],
])('says what the dry run of %j found', (given, text) => {
  const found = ['error', 'warn', 'warn'].map((severity) => ({ severity }) as Finding);
  const findings = given.outcome === 'block' ? found : [];
  expect(summaryOf({ judged: true, outcome: 'pass', findings, omitted: 0, ...given })).toBe(text);
});
