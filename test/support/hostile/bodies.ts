/** Bodies that somebody hopes the gate and the service read differently, for fast-check. */
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import { draft, feature, project } from '../bodies.ts';
import { words } from '../fuzz.ts';

/** Bodies as texts, by what they are for: the good ones are the service's, the bad ones must never get there. */
export const TEXTS: Readonly<Record<'project' | 'feature' | 'draft', readonly string[]>> = {
  project: [
    '{"name":"x","languages":["GO"],"environments":[{"id":1,"name":"P","isEnabled":true}]}',
    JSON.stringify(project()),
    '{"name":"x"}',
    '{"name":"x","languages":["go"],"environments":[]}',
    '[]',
  ],
  feature: [
    '{"name":"x","goals":[{"metricId":1}]}',
    JSON.stringify(feature()),
    '{"name":1}',
    '{"goals":[{"metricId":"1"}]}',
    '"x"',
  ],
  draft: [
    '{"draftId":42,"name":"x","percentTraffic":50}',
    JSON.stringify({ ...draft(), draftId: 42 }),
    '{"draftId":"42"}',
    '{"urls":[{"type":"url","value":"x"}]}',
    'null',
  ],
};

/** An edit of a body's bytes, given in Latin-1. `at`: which of its members, or where in it, as far as it goes. */
type Edit = { name: string; run: (text: string, at: number) => string };

/** Puts something at, before or behind the nth match, round and round. */
function atMatch(text: string, pattern: RegExp, nth: number, edit: (match: string) => string): string {
  const found = [...text.matchAll(pattern)];
  const match = found[nth % Math.max(found.length, 1)];
  if (!match) return text;
  return text.slice(0, match.index) + edit(match[0]) + text.slice(match.index + match[0].length);
}

const MEMBER = /"\w+"\s*:/g;
const NUMBER = /-?\d+(?:\.\d+)?/g;
const escaped = (text: string) =>
  text.replace(/\w/, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const insert = (bytes: string): Edit => ({
  name: `insert ${JSON.stringify(bytes)}`,
  run: (text, at) => text.slice(0, at % (text.length + 1)) + bytes + text.slice(at % (text.length + 1)),
});
const before = (bytes: string): Edit => ({
  name: `start with ${JSON.stringify(bytes)}`,
  run: (text) => bytes + text,
});
const after = (bytes: string): Edit => ({
  name: `end with ${JSON.stringify(bytes)}`,
  run: (text) => text + bytes,
});
const member = (name: string, edit: (member: string) => string): Edit => ({
  name,
  run: (text, at) => atMatch(text, MEMBER, at, edit),
});
const number = (bytes: string): Edit => ({
  name: `write ${bytes} for a number`,
  run: (text, at) => atMatch(text, NUMBER, at, () => bytes),
});

const EDITS: readonly Edit[] = [
  member('double a member, bad first', (found) => `${found}{},${found}`),
  member('double a member, escaped, bad first', (found) => `${escaped(found)}{},${found}`),
  member('change the case of a name', (found) => found.toUpperCase()),
  member('add _ to a name', (found) => found.replace(/\w"/, (end) => `_${end}`)),
  member('escape a name', escaped),
  member('put __proto__ before', (found) => `"__proto__":{"name":1},${found}`),
  member('put constructor before', (found) => `"constructor":{"prototype":{"name":1}},${found}`),
  member('put an escaped __proto__ before', (found) => `"\\u005f_proto__":{},${found}`),
  member('put a comment before', (found) => `/*${found}1,*/${found}`),
  member('put a NUL into a name', (found) => found.replace(/\w/, '$&\\u0000')),
  {
    name: 'double the first member at the end, bad',
    run: (text, at) => {
      const name = [...text.matchAll(MEMBER)][at % 3]?.[0] ?? '"name":';
      return text.replace(/\}\s*$/, `,${at % 2 ? escaped(name) : name}0}`);
    },
  },
  { name: 'cut', run: (text, at) => text.slice(0, at % (text.length + 1)) },
  {
    name: 'leave a byte out',
    run: (text, at) => text.slice(0, at % (text.length + 1)) + text.slice((at % (text.length + 1)) + 1),
  },
  { name: 'nest', run: (text, at) => '['.repeat(at % 300) + text + ']'.repeat(at % 300) },
  {
    name: 'nest within a member',
    run: (text, at) => `${'{"a":'.repeat(at % 140)}${text}${'}'.repeat(at % 140)}`,
  },
  { name: 'write UTF-16LE', run: (text) => Buffer.from(text, 'utf16le').toString('latin1') },
  { name: 'write UTF-16BE', run: (text) => Buffer.from(text, 'utf16le').swap16().toString('latin1') },
  { name: 'write full-width quotes', run: (text) => text.replaceAll('"', '\xe2\x80\x9c') },
  { name: 'write single quotes', run: (text) => text.replaceAll('"', "'") },
  ...words(`\xef\xbb\xbf \xff\xfe \xfe\xff \0 [ {} \x1e \xa0 \v`).map(before),
  ...[")]}',\n", '{}\n'].map(before),
  ...words('\0 \xef\xbb\xbf {} , //x \x1a } \f').map(after),
  ...['\n[]', ' \t\r\n'].map(after),
  ...words(String.raw`, ,, NaN /**/ \u \ud800 \" "a": { ] \x41 \ "`).map(insert),
  ...words('\xff \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x80\xa8 \xc2 \0 \xc2\xa0 \x7f').map(insert),
  insert('\n'),
  ...words('9007199254740993 1e999 -1e999 1e400 01 +1 .5 1. 0x1 NaN -').map(number),
  ...words('1e0 -0 1.0 123456789012345678901234567890 1e-400 "1" true null 1n').map(number),
];

export interface BodyEdit {
  edit: Edit;
  at: number;
}

export const bodyEdits: Arbitrary<BodyEdit[]> = fc.array(
  fc.record({ edit: fc.constantFrom(...EDITS), at: fc.nat(2000) }),
  { maxLength: 3 },
);

export function edited(text: string, edits: readonly BodyEdit[]): Buffer {
  // As octets, so that an edit can break a character apart.
  const octets = Buffer.from(text).toString('latin1');
  return Buffer.from(
    edits.reduce((now, { edit, at }) => edit.run(now, at), octets),
    'latin1',
  );
}

/** Content-Encoding, true and false: what the headers say, and what is done to the bytes. */
type Coding = readonly [says: readonly string[], does: (bytes: Buffer) => Buffer];
const plain = (bytes: Buffer) => bytes;
const gzip = (bytes: Buffer) => gzipSync(bytes);
export const CODINGS: Readonly<Record<string, Coding>> = {
  none: [[], plain],
  gzip: [['gzip'], gzip],
  'x-gzip, identity': [['x-gzip', 'identity'], gzip],
  deflate: [['deflate'], (bytes) => deflateSync(bytes)],
  'raw deflate': [['deflate'], (bytes) => deflateRawSync(bytes)],
  'gzip that is none': [['gzip'], plain],
  'br that is none': [['br'], plain],
  'hidden gzip': [[], gzip],
  twice: [['gzip, deflate'], (bytes) => deflateSync(gzipSync(bytes))],
  'twice, said once': [['gzip'], (bytes) => gzipSync(gzipSync(bytes))],
  'with more behind': [['gzip'], (bytes) => Buffer.concat([gzipSync(bytes), bytes])],
  'two members': [['gzip'], (bytes) => Buffer.concat([gzip(bytes.subarray(0, 9)), gzip(bytes.subarray(9))])],
  'cut gzip': [['gzip'], (bytes) => gzipSync(bytes).subarray(0, -6)],
  unknown: [['zstd'], plain],
  odd: [['gzip;q=1'], gzip],
  identity: [['identity', ''], plain],
};
