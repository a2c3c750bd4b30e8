import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readHar } from '../../src/recordings/har/read-har.ts';
import type { ShownBody, ShownExchange } from '../../src/server/show-exchange.ts';
import { caseOf, curlOf, harOf } from '../../src/ui/copies.ts';

function exchange(
  request: Partial<ShownExchange['request']>,
  rest: Partial<Omit<ShownExchange, 'request'>> = {},
): ShownExchange {
  return {
    id: 1,
    startedAt: '2026-11-20T12:00:00.000Z',
    durationMs: 12,
    request: { method: 'PATCH', url: '/projects/42', headers: { host: '127.0.0.1:4010' }, ...request },
    response: { status: 200, headers: { 'content-type': 'text/plain' }, body: { text: 'ok', size: 2 } },
    answeredBy: 'target',
    ...rest,
  };
}

/** The words that bash makes of a command; in the place of curl. */
function wordsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; if [ "\${@: -1}" = @- ]; then cat; fi; }\n${command}`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0');
}

describe('curl', () => {
  it.each([
    ['it\'s; $(rm -rf ~) `x` \\ "y" !', 'quotes'],
    ['line\nfeed\ttab', 'white space'],
    ['\u001b[31m \u202e \u00ad é 😀', 'what a terminal could obey'],
    ['@/etc/passwd', 'an at sign'],
    ['-X', 'a dash'],
  ])('sends %j as it is: %s', (text) => {
    const { text: command } = curlOf(
      exchange({ body: { text, size: 1 }, headers: { host: 'h:1', 'x-a': text } }),
    );
    expect(wordsOf(command)).toEqual([
      ...['-X', 'PATCH', 'http://h:1/projects/42'],
      ...['-H', `x-a: ${text}`, '-H', 'content-type:', '--data-raw', text, ''],
    ]);
    expect(command).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  });

  it('leaves out what belongs to the connection, and names a header without a value', () => {
    const headers = { host: 'h:1', 'content-length': '3', connection: 'close', 'x-b': ['1', ''] };
    expect(curlOf(exchange({ method: 'GET', headers })).text).toBe(
      "curl http://h:1/projects/42 \\\n  -H 'x-b: 1' \\\n  -H 'x-b;'",
    );
  });

  it('decodes bytes', () => {
    const words = wordsOf(curlOf(exchange({ body: { base64: 'AGE=', size: 2 } })).text);
    expect(words.slice(-4)).toEqual(['--data-binary', '@-', '', 'a']);
  });

  it('quotes a URL', () => {
    const url = "/a/../b?b=1&c='[x]' $HOME";
    const words = wordsOf(curlOf(exchange({ method: 'GET', url, headers: {} })).text);
    expect(words).toEqual(['--path-as-is', '--globoff', `http://127.0.0.1:4010${url}`, '']);
  });
});

describe('what a copy lacks', () => {
  it.each<[string, Partial<ShownExchange['request']>, number]>([
    ['nothing', {}, 0],
    ['a secret header', { headers: { authorization: '[redacted]' } }, 1],
    ['a secret in the query', { url: '/x?token=[redacted]' }, 1],
    ['a secret in the body', { body: { json: { password: '[redacted]' }, size: 1 } }, 1],
    ['the end of the body', { body: { text: 'x', size: 100_000, cut: true } }, 1],
  ])('is said: %s', (_, request, count) => {
    for (const copy of [curlOf, harOf, caseOf]) expect(copy(exchange(request)).notes).toHaveLength(count);
  });
});

describe('HAR', () => {
  it('is read by the import of recordings', () => {
    const body: ShownBody = { json: { name: 'é' }, size: 13 };
    const headers = { host: 'h:1', 'content-type': 'application/json', 'x-a': ['1', '2'] };
    const { text } = harOf(exchange({ url: '/p?a=1&b=%20', headers, body }));
    const { entries, version, creator } = JSON.parse(text).log;
    expect([version, creator.name, entries.length]).toEqual(['1.2', 'patchgate', 1]);
    expect(entries[0].request).toMatchObject({
      url: 'http://h:1/p?a=1&b=%20',
      queryString: [
        { name: 'a', value: '1' },
        { name: 'b', value: ' ' },
      ],
      postData: { mimeType: 'application/json', text: '{"name":"é"}' },
    });
    expect(readHar(Buffer.from(text), 'page.har')).toBeDefined();
  });

  it('says that there was no response', () => {
    const { text } = harOf(exchange({}, { response: undefined, failure: 'the client went away' }));
    expect(JSON.parse(text).log.entries[0].response).toMatchObject({
      status: 0,
      _error: 'the client went away',
    });
  });

  it('has bytes in base64', () => {
    const response = { status: 200, headers: {}, body: { base64: 'AGE=', size: 2 } };
    expect(JSON.parse(harOf(exchange({}, { response })).text).log.entries[0].response.content).toEqual({
      ...{ size: 2, mimeType: 'x-unknown', text: 'AGE=', encoding: 'base64' },
    });
  });
});

describe('a conformance case', () => {
  const found = (rule: string, severity: 'error' | 'warn', pointer: string) => ({
    ...{ rule, severity, pointer, basis: 'stated' as const, message: '' },
  });

  it('says what the gate said', () => {
    const headers = { host: 'h', 'content-type': 'application/json', authorization: 'x', accept: '*/*' };
    const findings = [
      found('schema.required', 'error', '/name'),
      found('project.empty-list', 'warn', '/languages'),
    ];
    const verdict = { outcome: 'block' as const, status: 422, findings, omitted: 0 };
    const { text } = caseOf(exchange({ headers, body: { json: {}, size: 2 } }, { verdict }));
    expect(JSON.parse(text)).toEqual({
      name: 'PATCH /projects/42',
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      path: '/projects/42',
      body: {},
      expect: {
        outcome: 'block',
        status: 422,
        errors: [{ pointer: '/name', rule: 'schema.required' }],
        warnings: [{ pointer: '/languages', rule: 'project.empty-list' }],
      },
    });
  });

  it('has the very text where that is no JSON, and leaves out what needs a known record', () => {
    const verdict = {
      ...{ outcome: 'block' as const, status: 409, omitted: 0 },
      findings: [found('project.environment-deleted', 'error', '/environments')],
    };
    const { text, notes } = caseOf(exchange({ body: { text: '{', size: 1 } }, { verdict }));
    expect(JSON.parse(text)).toMatchObject({ raw: '{', expect: { outcome: 'forward', errors: [] } });
    expect(notes).toEqual(['Findings that need a known record are left out: a case knows none.']);
  });
});
