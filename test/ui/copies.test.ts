import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readHar } from '../../src/recordings/har/read-har.ts';
import type { ShownBody, ShownExchange } from '../../src/server/show-exchange.ts';
import { curlOf, harOf } from '../../src/ui/copies.ts';

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

const GATE = 'http://127.0.0.1:4010';
const SHELLS = ['sh', 'bash'] as const;

/** The words that a shell makes of a command; in the place of curl. */
function wordsOf(command: string, shell: (typeof SHELLS)[number] = 'sh'): string[] {
  const curl = `curl() { printf '%s\\0' "$@"; for last; do :; done; if [ "$last" = @- ]; then cat; fi; }`;
  return execFileSync(shell, ['-c', `${curl}\n${command}`], { encoding: 'utf8' }).split('\0');
}

/** Everything that is not to be seen in a command, beside its line feeds. */
const ODD = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

describe.each(SHELLS)('curl in %s', (shell) => {
  it.each([
    ['it\'s; $(echo run) `echo run` \\ "y" ! $HOME \'', 'quotes'],
    ["';echo run;'", 'a quote that ends'],
    ['\\', 'a backslash'],
    ['é 😀', 'other scripts'],
    ['@/etc/passwd', 'an at sign'],
    ['-X', 'a dash'],
    ['--config=/etc/passwd', 'an option'],
  ])('sends %j as it is: %s', (text) => {
    const headers = { host: 'h:1', 'x-a': text, "a'b`$(echo)": '1' };
    const { text: command, notes } = curlOf(exchange({ body: { text, size: 1 }, headers }), GATE);
    expect(wordsOf(command, shell)).toEqual([
      ...['-X', 'PATCH', `${GATE}/projects/42`, '-H', `x-a: ${text}`, '-H', "a'b`$(echo): 1"],
      ...['-H', 'content-type:', '--data-raw', text, ''],
    ]);
    expect(notes).toEqual([]);
  });

  it.each<[string, string, ShownBody]>([
    ['an object', '{"a":"RAW"}', { json: { a: 'RAW' }, size: 1 }],
    ['its text', '{"a":1,"a":"RAW"}', { text: '{"a":1,"a":"RAW"}', size: 1 }],
    ['spaced text', '{\n "a":\n  "RAW"}', { text: '{\r\n\t"a":\r\n\t\t"RAW"}', size: 1 }],
  ])('writes control and format characters of JSON as escapes: %s', (_, expected, given) => {
    const odd = "'; echo run #\u0085\u009b\u007f\u00ad\u200b\u202e\u2028\ufeff\u{e0041}\ud800";
    const raw = (text: string) => text.replaceAll('RAW', odd);
    const body = JSON.parse(JSON.stringify(given), (_, value) =>
      typeof value === 'string' ? raw(value) : value,
    );
    const { text: command, notes } = curlOf(exchange({ body }), GATE);
    expect(command).not.toMatch(ODD);
    const words = wordsOf(command, shell);
    const sent = words.at(-2) as string;
    expect(JSON.parse(sent)).toEqual(JSON.parse(raw(expected)));
    expect(sent.replace(/\\u[\da-f]{4}/g, '').replace(/\s/g, '')).toBe(
      expected.replace('RAW', "'; echo run #").replace(/\s/g, ''),
    );
    expect([words.at(-3), words.at(-1), notes]).toEqual(['--data-raw', '', []]);
  });

  it.each(["a'\u001b[31m;echo run", "'\u202e;echo run;'", 'a\u200bb', 'a\u0085b', 'a\tb', 'a\rb'])(
    'leaves out what holds such characters and is no JSON, and says so: %j',
    (text) => {
      const headers = { 'x-a': ['1', text], 'x-b': '2' };
      const { text: command, notes } = curlOf(
        exchange({ url: `/p?q=${text}`, headers, body: { text, size: 1 } }),
        GATE,
      );
      expect(command).not.toMatch(ODD);
      expect(wordsOf(command, shell).slice(0, 1)).toEqual(['-X']);
      expect(wordsOf(command, shell).slice(-7)).toEqual([
        ...['-H', 'x-a: 1', '-H', 'x-b: 2', '-H', 'content-type:', ''],
      ]);
      expect(decodeURIComponent(command)).toContain(text.replaceAll("'", "'\\''"));
      expect(notes).toEqual([
        expect.stringContaining('in the URL'),
        'Left out, since control or format characters are in it: the header x-a, the body.',
      ]);
    },
  );

  it('keeps line feeds of a body', () => {
    const text = "a\n'\nb\n";
    expect(wordsOf(curlOf(exchange({ body: { text, size: 1 } }), GATE).text, shell).at(-2)).toBe(text);
  });

  it('decodes bytes', () => {
    const words = wordsOf(curlOf(exchange({ body: { base64: 'AGE=', size: 2 } }), GATE).text, shell);
    expect(words.slice(-4)).toEqual(['--data-binary', '@-', '', 'a']);
  });

  it('quotes a URL', () => {
    const url = "/a/../b?b=1&c='[x]' $HOME";
    const words = wordsOf(curlOf(exchange({ method: 'GET', url, headers: {} }), GATE).text, shell);
    expect(words).toEqual(['--path-as-is', '--globoff', `${GATE}${url}`, '']);
  });
});

it('curl gets no header of the connection, and each without a value by its name', () => {
  const headers = { host: 'h:1', 'content-length': '3', connection: 'close', 'x-b': ['1', ''] };
  expect(curlOf(exchange({ method: 'GET', headers }), 'https://gate.test:1').text).toBe(
    "curl https://gate.test:1/projects/42 \\\n  -H 'x-b: 1' \\\n  -H 'x-b;'",
  );
});

describe('the URL', () => {
  it.each([
    ['/p?a=1', '/p?a=1', 'http://evil.test/p?a=1'],
    ['/p?', '/p?', 'http://evil.test/p?'],
    ['http://evil.test/p?a=1', '/p?a=1', 'http://evil.test/p?a=1'],
    ['HTTPS://evil.test', '/', 'HTTPS://evil.test'],
    ['gopher://evil.test:70/_x', '/_x', 'http://evil.test/_x'],
    ['file:///etc/passwd', '/etc/passwd', 'http://evil.test/etc/passwd'],
    ['scp://evil.test/~/x', '/~/x', 'http://evil.test/~/x'],
    ['x+y.z-1://evil.test?q', '/?q', 'http://evil.test/?q'],
    ['//evil.test/p', '//evil.test/p', 'http://evil.test//evil.test/p'],
    ['@evil.test/p', '/@evil.test/p', 'http://evil.test/@evil.test/p'],
    ['.evil.test/p', '/.evil.test/p', 'http://evil.test/.evil.test/p'],
    ['*', '/*', 'http://evil.test/*'],
  ])("of %s is the gate's own for curl, and of http in HAR", (url, path, inHar) => {
    const asked = exchange({ method: 'GET', url, headers: { host: 'evil.test' } });
    expect(wordsOf(curlOf(asked, GATE).text)).toEqual([GATE + path, '']);
    expect(JSON.parse(harOf(asked).text).log.entries[0].request.url).toBe(inHar);
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
    for (const copy of [curlOf, harOf]) expect(copy(exchange(request), GATE).notes).toHaveLength(count);
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
