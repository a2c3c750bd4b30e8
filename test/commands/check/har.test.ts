import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { losesEnvironment } from '../../../src/model/effect.ts';
import { checkHar, findingsOf, placesIn } from '../../support/check.ts';
import { gate, PROJECT_URL } from '../../support/gate.ts';
import { projectOf } from '../../support/recorded-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const URL_OF_IT = `https://app.example${PROJECT_URL}`;
const JSON_HEADERS = [{ name: 'Content-Type', value: 'application/json' }];

function patch(text: string | undefined, more: object = {}, request: object = {}) {
  return {
    startedDateTime: '2026-11-20T12:00:00.000Z',
    time: 12,
    request: {
      method: 'PATCH',
      url: URL_OF_IT,
      headers: JSON_HEADERS,
      ...(text !== undefined && { postData: { mimeType: 'application/json', text } }),
      ...request,
    },
    response: answer(200),
    ...more,
  };
}

function answer(status: number, body?: unknown) {
  return { status, headers: [], content: body === undefined ? { size: 0 } : { text: JSON.stringify(body) } };
}

function get(body: unknown) {
  return patch(undefined, { response: answer(200, body) }, { method: 'GET' });
}

function har(...entries: unknown[]) {
  return { log: { version: '1.2', creator: { name: 'a browser', version: '1' }, entries } };
}

const GOOD = JSON.stringify(projectOf(1));

describe('an HTTP archive', () => {
  it('has each PATCH judged, in the order of the file, and the others counted', async () => {
    const file = await checkHar(
      har(
        patch(GOOD),
        get({}),
        patch('{"name": 1}'),
        patch('{}', {}, { url: 'https://app.example/style.css' }),
      ),
    );
    expect(file).toMatchObject({ file: 'x.har', kind: 'har', unjudged: 2 });
    expect(file.subjects).toMatchObject([
      { pointer: '/log/entries/0', line: 1, method: 'PATCH', path: PROJECT_URL, outcome: 'pass' },
      { pointer: '/log/entries/2', operation: 'updateProject', outcome: 'block' },
    ]);
  });

  it('has findings at the very character', async () => {
    const body = '{"name": "é\\n\u2028",\n "näme": 1, "name": "b"}';
    const text = JSON.stringify(
      har(
        patch(body),
        patch('{"name":'),
        patch('{}', {}, { url: `${URL_OF_IT}x` }),
        patch('{}', {}, { headers: [{ name: 'content-type', value: 'text/plain' }] }),
      ),
      null,
      2,
    ).replace('é', '\\u00e9');
    const whole = await checkHar(text);
    const found = placesIn(text, whole).filter(([rule]) => rule.startsWith('request.'));
    expect(found.map(([rule, at]) => [rule, at.slice(0, 8)])).toEqual([
      ['request.duplicate-key', '\\"name\\"'],
      ['request.json', '"'],
      ['request.path-parameter', '"https:/'],
      ['request.content-type', '['],
    ]);
  });

  it('shows the line around a place, where a file is one line too', async () => {
    const text = JSON.stringify(har(patch(GOOD), patch('{"name": 1}')));
    const [first] = findingsOf((await checkHar(text)).subjects);
    const column = first?.column ?? 0;
    expect(first?.excerpt).toEqual({ text: `…${text.slice(column - 51, column + 49)}…`, caret: 51 });
    // Near the beginning of an entry, too.
    const request = {
      method: 'PATCH',
      url: `${URL_OF_IT}x`,
      headers: JSON_HEADERS,
      postData: { text: GOOD },
    };
    const early = JSON.stringify(har(patch(GOOD), { request }));
    const [second] = findingsOf((await checkHar(early)).subjects);
    const at = early.indexOf(`"${URL_OF_IT}x"`);
    expect(second).toMatchObject({ rule: 'request.path-parameter', column: at + 1 });
    expect(second?.excerpt).toEqual({ text: `…${early.slice(at - 50, at + 50)}…`, caret: 51 });
  });

  it('is a history: what a GET showed, and what an accepted PATCH made of it', async () => {
    const sent = (...ids: number[]) => JSON.stringify(projectOf(...ids));
    const { subjects } = await checkHar(
      har(
        get({ _data: projectOf(1, 7) }),
        patch(sent(1)),
        patch(sent(2), { response: answer(422) }),
        patch(sent(1, 3), { response: { status: 0 } }),
        patch(sent(1)),
        patch(sent(1), {}, { url: URL_OF_IT.replace('/42', '/43') }),
      ),
    );
    const lost = subjects.map(({ effects = [] }) => effects.filter(losesEnvironment).map(({ id }) => id));
    expect(lost).toEqual([[7], [1], [], [3], []]);
    expect(findingsOf(subjects).map(({ rule }) => rule)).toContain('project.environment-deleted');
  });

  it('names what it cannot judge: the body is not in the file', async () => {
    const file = await checkHar(
      har(
        patch(undefined),
        patch(undefined, {}, { bodySize: 120 }),
        patch(undefined, {}, { bodySize: 0 }),
        patch(undefined, {}, { postData: { mimeType: 'application/json', _file: 'a.json' } }),
        patch(
          undefined,
          {},
          { postData: { mimeType: 'application/json', params: [{ name: 'a', value: 'b' }] } },
        ),
      ),
    );
    const why = "the request's body is not in the file";
    expect(file.skipped).toEqual(
      [0, 1, 3, 4].map((index) => ({
        ...{ pointer: `/log/entries/${index}`, line: 1 },
        ...{ method: 'PATCH', path: PROJECT_URL, why },
      })),
    );
    expect(file.subjects).toMatchObject([
      { pointer: '/log/entries/2', findings: [{ rule: 'request.json' }] },
    ]);
  });

  it('takes bodies in base64, of forms, and beside the archive', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.json'), '{"name": 1}');
    const base64 = Buffer.from('\ufeff{}').toString('base64');
    const form = [{ name: 'content-type', value: 'application/x-www-form-urlencoded' }];
    const text = JSON.stringify(
      har(
        patch(undefined, {}, { postData: { text: base64, encoding: 'base64' } }),
        patch(undefined, {}, { headers: form, postData: { text: '', params: [{ name: 'a', value: 'b' }] } }),
        patch(undefined, {}, { postData: { mimeType: 'application/json', _file: 'a.json' } }),
      ),
    );
    const file = await checkHar(text, { folder });
    expect(file.skipped).toBeUndefined();
    const found = placesIn(text, file).map(([rule, at]) => [rule, at.slice(0, 9)]);
    expect(found).toContainEqual(['request.json', `"${base64}`]);
    expect(found).toContainEqual(['request.content-type', '[{"name":']);
    expect(found).toContainEqual(['request.json', '[{"name":']);
    expect(found).toContainEqual(['schema.type', '{"mimeTyp']);
  });

  it('needs neither answers nor times', async () => {
    const request = { method: 'PATCH', url: PROJECT_URL, postData: { text: '{}' } };
    const { subjects } = await checkHar({ log: { entries: [{ request }, { request, response: {} }] } });
    expect(subjects.map(({ outcome }) => outcome)).toEqual(['block', 'block']);
  });

  it('has odd entries named, and the others judged, whatever is odd in their answers', async () => {
    const file = await checkHar(
      har(
        1,
        patch('{}', {}, { method: 1 }),
        patch(GOOD, { response: { status: '200' } }),
        patch(GOOD, {}, { headers: { a: 'b' } }),
      ),
    );
    const skipped = (index: number, method: string, path: string, why: string) => ({
      ...{ pointer: `/log/entries/${index}`, line: 1, method, path, why },
    });
    expect(file.skipped).toEqual([
      skipped(0, '?', '?', 'must be an object'),
      skipped(1, '?', PROJECT_URL, '/request/method must be a text'),
      skipped(3, 'PATCH', PROJECT_URL, '/request/headers must be a list or null'),
    ]);
    expect(file.subjects).toMatchObject([{ pointer: '/log/entries/2', outcome: 'pass' }]);
  });

  it('of ours is read as it was recorded', async () => {
    const text = har(
      patch(undefined, { _patchgate: { omitted: { request: 9 } } }),
      patch(GOOD, { _patchgate: { path: '/accounts/current/projects/7', query: '' } }),
    );
    text.log.creator.name = 'patchgate';
    const file = await checkHar(text);
    expect(file.skipped).toMatchObject([{ pointer: '/log/entries/0' }]);
    expect(file.subjects).toMatchObject([{ path: '/accounts/current/projects/7' }]);
  });

  it.each([
    ['', ':1:1: the document ends where a value should be'],
    ['{', ':1:2: the document ends where'],
    ['PK\u0003\u0004', ' is a ZIP archive'],
    ['[]', ':1:1: must be an object'],
    ['{}', ':1:2: /log is missing'],
    ['{"log":{}}', ':1:9: /log/entries is missing'],
    ['{"log":[]}', ':1:8: /log must be an object'],
    ['{"log":{"entries":{}}}', ':1:19: /log/entries must be a list'],
    ['{"log":{"entries":[],\n"entries":[]}}', ':2:1: entries stands here for the second time'],
    ['{"log":{"entries":[\n {"request": tru', ':2:14: expected a value'],
    ['{"log":{"entries":[]}} x', ':1:24: expected the end of the document, found "x"'],
  ])('%j stops the check with its place', async (text, message) => {
    await expect(checkHar(text)).rejects.toMatchObject({
      code: 'bad-input',
      exitCode: 2,
      message: expect.stringContaining(`x.har${message}`),
      hint: expect.any(String),
    });
  });

  it('has an entry that is nested very deep named', async () => {
    const deep = `${'['.repeat(300_000)}${']'.repeat(300_000)}`;
    const file = await checkHar(`{"log": {"entries": [${deep}]}}`);
    expect(file.skipped).toMatchObject([{ pointer: '/log/entries/0' }]);
  });

  it('that is no UTF-8 stops it, too', async () => {
    const bytes = Buffer.from(JSON.stringify(har(patch('{"a":"ä"}'))), 'latin1');
    await expect(checkHar(bytes)).rejects.toThrow('x.har is not valid UTF-8');
  });
});

it('places what is found in any body where it stands in the file, at any indentation', {
  tags: 'slow',
}, async () => {
  const judging = gate({ guard: 'off' });
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 });
  const cases = fc.record({
    before: fc.string({ unit: 'grapheme', maxLength: 80 }),
    names: fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
    indent: fc.constantFrom(undefined, 1, 4, '\t'),
    bodyIndent: fc.constantFrom(undefined, 2),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ before, names, indent, bodyIndent }) => {
      const fields = names.map((one) => `zz${one}`);
      const body = JSON.stringify(
        { ...projectOf(1), ...Object.fromEntries(fields.map((field) => [field, before])) },
        null,
        bodyIndent,
      );
      const text = JSON.stringify(har(get({ before }), patch(body)), null, indent);
      // The one string of the file in which the body stands.
      const literal = text.indexOf(JSON.stringify(body));
      const { subjects } = await checkHar(text, { gate: judging });
      const found = findingsOf(subjects).filter(({ rule }) => rule === 'schema.unknown-field');
      const expected = fields.map((field) => {
        const at = body.indexOf(`${JSON.stringify(field)}:`);
        const offset = literal + JSON.stringify(body.slice(0, at)).length - 1;
        const start = text.lastIndexOf('\n', offset - 1) + 1;
        return { line: text.slice(0, offset).split('\n').length, column: offset - start + 1 };
      });
      const byPlace = (a: { line: number; column: number }, b: typeof a) =>
        a.line - b.line || a.column - b.column;
      expect(found.map(({ line = 0, column = 0 }) => ({ line, column })).sort(byPlace)).toEqual(
        expected.sort(byPlace),
      );
    }),
    { numRuns: 100 },
  );
});
