import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { losesEnvironment } from '../../../src/model/effect.ts';
import { checkLines, findingsOf, placesIn, textAt } from '../../support/check.ts';
import { exchange } from '../../support/exchanges.ts';
import { checkBodies } from '../../support/extras.ts';
import { FEATURE_URL, gate, PROJECT_URL } from '../../support/gate.ts';
import { projectOf } from '../../support/recorded-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const GOOD = projectOf(1);
const ask = (more: object) => ({ method: 'PATCH', url: PROJECT_URL, body: GOOD, ...more });

function lines(...values: unknown[]): string {
  return values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');
}

describe('JSON Lines', () => {
  it('have each request judged that an operation concerns, blank lines aside', async () => {
    const text = lines(ask({}), '', ask({ method: 'GET' }), '  \r', ask({ body: { name: 1 } }));
    const file = await checkLines(text);
    expect(file).toMatchObject({ file: 'x.jsonl', kind: 'requests', unjudged: 1 });
    expect(file.subjects).toMatchObject([
      {
        pointer: '/0',
        line: 1,
        method: 'PATCH',
        path: PROJECT_URL,
        operation: 'updateProject',
        outcome: 'pass',
      },
      { pointer: '/2', line: 5, outcome: 'block' },
    ]);
  });

  it.each<[string, object, string[]]>([
    ['url', { url: PROJECT_URL }, []],
    ['path', { url: undefined, path: PROJECT_URL }, []],
    ['an absolute URL', { url: `https://host${PROJECT_URL}?x=1#y` }, []],
    ['a query', { query: '_method=PATCH', method: 'POST' }, []],
    ['small letters', { method: 'patch' }, []],
    ['no headers: JSON', { headers: undefined }, []],
    ['headers without a type', { headers: {} }, ['request.content-type']],
    ['an object', { headers: { 'Content-Type': 'text/plain' } }, ['request.content-type']],
    ['lists of values', { headers: { accept: ['a', 'b'], 'content-type': ['application/json'] } }, []],
    ['pairs', { headers: [['content-type', 'text/plain']] }, ['request.content-type']],
    [
      'names and values',
      { headers: [{ name: 'content-type', value: 'text/plain' }] },
      ['request.content-type'],
    ],
    ['a raw list', { headers: ['content-type', 'text/plain'] }, ['request.content-type']],
    ['text', { body: JSON.stringify(GOOD) }, []],
    ['raw', { body: undefined, raw: '{"name":' }, ['request.json']],
    ['bytes', { body: undefined, bodyBase64: Buffer.from('\ufeff{}').toString('base64') }, ['request.json']],
    ['no body', { body: undefined }, ['request.json']],
    ['a body of null', { body: null }, ['schema.type']],
    ['further members', { name: 'a case', expect: {} }, []],
  ])('take %s', async (_, more, rules) => {
    const { subjects } = await checkLines(lines(ask(more)));
    expect(subjects).toHaveLength(1);
    expect(findingsOf(subjects).map(({ rule }) => rule)).toEqual(rules);
  });

  it('judge the very source of a body, with each finding at its place', async () => {
    const text = lines(
      ask({}),
      `{"method": "PATCH", "path": "${PROJECT_URL}",  "body" :  {"name": "\\u00e9", "name": "b", "languages": ["GO"], "environments": [{"id": 12345678901234567890, "name": "a", "isEnabled": true}]} }`,
      ask({ body: '{\n "name": "é",\n "näme": 1}' }),
      ask({ url: `${PROJECT_URL}x` }),
      ask({ headers: { 'content-type': 'text/plain' } }),
    );
    const file = await checkLines(text);
    expect(placesIn(text, file).map(([rule, at]) => [rule, at.slice(0, 12)])).toEqual(
      [
        ['request.duplicate-key', '"name": "b",'],
        ['request.unsafe-number', '123456789012'],
        ['schema.required', '\\n \\"name\\":'],
        ['schema.required', '\\n \\"name\\":'],
        ['schema.unknown-field', '\\"näme\\": 1}'],
        ['request.path-parameter', `"${PROJECT_URL.slice(0, 11)}`],
        ['request.content-type', '{"content-ty'],
      ].map(([rule, at]) => [rule, at]),
    );
    expect(findingsOf(file.subjects)[0]).toMatchObject({ line: 2, excerpt: { caret: 51 } });
  });

  it('take exchanges as recordings keep them, and learn from these alone', async () => {
    const sent = (...ids: number[]) => exchange({ body: { json: projectOf(...ids) } });
    const { response: _, ...unanswered } = sent(9);
    const text = lines(
      exchange({ method: 'GET', answer: { json: { _data: projectOf(1, 7) } } }),
      {
        request: { method: 'PATCH', path: PROJECT_URL, body: { json: projectOf(1) } },
        response: { status: 200 },
      },
      ask({ body: projectOf(2) }),
      unanswered,
      sent(3),
      { ...sent(1), request: { ...sent(1).request, body: { omitted: 12 } } },
    );
    const file = await checkLines(text);
    const lost = file.subjects.map(({ effects = [] }) =>
      effects.filter(losesEnvironment).map(({ id }) => id),
    );
    expect(lost).toEqual([[7], [1], [1], [1]]);
    const [first] = findingsOf(file.subjects).filter(({ rule }) => rule === 'project.environment-deleted');
    expect(textAt(text, first ?? {})).toMatch(/^\[\{"id":1,/);
    expect(file.skipped).toEqual([
      {
        ...{ pointer: '/5', line: 6, method: 'PATCH', path: PROJECT_URL },
        why: "the request's body is not in the file",
      },
    ]);
  });

  it('hold bodies, where something says what they are for', async () => {
    const text = lines(GOOD, { ...GOOD, owner: 1 }, ask({ url: FEATURE_URL, body: { name: 1 } }));
    await expect(checkLines(text)).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining('x.jsonl:1'),
    });
    const file = await checkLines(text, { as: { operation: 'updateProject' } });
    expect(file.subjects.map(({ operation }) => operation)).toEqual([
      'updateProject',
      'updateProject',
      'updateFeature',
    ]);
    expect(file.subjects[1]).toMatchObject({ pointer: '/1', line: 2, findings: [{ line: 2 }] });
    expect(placesIn(text, file)[0]).toEqual(['schema.unknown-field', '"owner":1}']);
    const folder = temporaryFolder();
    const bodies = await checkBodies([{ files: '*.jsonl', path: PROJECT_URL }], {
      where: 'c',
      folder,
    });
    const { subjects } = await checkLines(text, { as: { bodies }, folder });
    expect(subjects[0]).toMatchObject({ method: 'PATCH', path: PROJECT_URL });
  });

  it.each([
    ['{"method":"PATCH"', '1:18: the file is cut off'],
    [`${JSON.stringify(ask({}))}\n{"method":"PA`, '2:14: the file is cut off'],
    ['{"method":"PATCH"\n{}', '1:18: the line ends before its JSON does'],
    ['{"method" "PATCH"}', '1:11: expected ":", found "\\""'],
    ['{"method":"PATCH"}', '1:1: the request has neither url nor path'],
    ['{"url":"/x"}', '1:1: the request has no method'],
    ['{"method":"P T","url":"/x"}', '1:11: /method must be'],
    ['{"method":"PATCH","url":"x"}', '1:25: /url must be a path that begins with /'],
    ['{"method":"PATCH","url":1,"path":"/x"}', '1:34: /path stands beside url'],
    ['{"method":"PATCH","url":"/x","query":1}', '1:38: /query must be a text'],
    ['{"method":"PATCH","url":"/x","headers":1}', '1:40: /headers must be'],
    ['{"method":"PATCH","url":"/x","headers":[["a"]]}', '1:41: /headers/0 must be'],
    ['{"method":"PATCH","url":"/x","headers":{"a":1}}', '1:40: /headers has'],
    ['{"method":"PATCH","url":"/x","headers":["a"]}', '1:40: /headers must be names'],
    ['{"method":"PATCH","url":"/x","raw":1}', '1:36: /raw must be a text'],
    ['{"method":"PATCH","url":"/x","raw":"","body":1}', '1:36: /raw stands beside body'],
    ['{"method":"PATCH","url":"/x","bodyBase64":"a"}', '1:43: /bodyBase64 must be base64'],
    ['{"method":"PATCH","url":"/x","body":"\\ud800"}', '1:37: /body is no valid Unicode'],
    ['{"method":"PATCH","url":"/x","body":1,\t"body":2}', '1:40: "body" stands here for the second time'],
    ['{"request":{"method":"PATCH","path":1}}', '1:37: /request/path must be a text'],
    ['{"request":{"method":"GET","path":"/"},"response":{"status":1}}', '1:61: /response/status must be'],
  ])('%j stops the check with its place', async (text, message) => {
    await expect(checkLines(text)).rejects.toMatchObject({
      code: 'bad-input',
      exitCode: 2,
      message: expect.stringContaining(`x.jsonl:${message}`),
      hint: expect.any(String),
    });
  });

  it('that are no UTF-8 stop it, too', async () => {
    const bytes = Buffer.from(lines(ask({ body: { name: 'ä' } })), 'latin1');
    await expect(checkLines(bytes)).rejects.toThrow(/^x\.jsonl:1:\d+: this is not valid/);
  });

  it('give what the gate must say of each known request', async () => {
    for (const name of ['updateProject', 'updateFeature', 'updateDraft', 'other']) {
      const cases = JSON.parse(readFileSync(`test/conformance/${name}.json`, 'utf8')) as {
        name: string;
        expect: { outcome: string; errors: { pointer: string }[] };
      }[];
      const { subjects } = await checkLines(lines(...cases), { gate: gate() });
      for (const [index, { name: title, expect: wanted }] of cases.entries()) {
        const { findings = [], outcome = 'pass' } =
          subjects.find(({ pointer }) => pointer === `/${index}`) ?? {};
        expect([title, outcome]).toEqual([title, wanted.outcome === 'block' ? 'block' : 'pass']);
        for (const error of wanted.errors) expect(findings).toContainEqual(expect.objectContaining(error));
      }
    }
  });
});

it('places what is found in any body at the character of the file', { tags: 'slow' }, async () => {
  const cases = fc.array(
    fc.record({
      before: fc.string({ unit: 'grapheme', maxLength: 20 }),
      isText: fc.boolean(),
      after: fc.json(),
    }),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(cases, async (requests) => {
      const body = ({ before, after }: { before: string; after: string }) =>
        `{ "zz ${JSON.stringify(before).slice(1, -1)}" : ${after}}`;
      const text = requests
        .map((one) => {
          const source = one.isText ? JSON.stringify(body(one)) : body(one);
          return `{"note": ${JSON.stringify(one.before)}, "body":${source}, "method":"PATCH", "url":"${FEATURE_URL}"}\n`;
        })
        .join('');
      const found = findingsOf((await checkLines(text)).subjects);
      const unknown = found.filter(({ rule }) => rule === 'schema.unknown-field');
      expect(unknown.map((finding) => textAt(text, finding).split(' ')[0])).toEqual(
        requests.map(({ isText }) => (isText ? '\\"zz' : '"zz')),
      );
      expect(unknown.map(({ line }) => line)).toEqual(requests.map((_, index) => index + 1));
    }),
    { numRuns: 60 },
  );
});
