import { describe, expect, it } from 'vitest';
import { runShow, type ShowArgs } from '../../../src/commands/recordings/show.ts';
import { redactionOf } from '../../../src/recordings/redact/redaction.ts';
import { exchange } from '../../support/exchanges.ts';
import { recordAll, textOutput } from '../../support/recordings.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const EXCHANGES = [
  exchange({
    path: '/b',
    recordedAt: '2026-11-20T12:00:01.000Z',
    body: { json: { name: 'Grüße\u001b[31m' } },
  }),
  exchange({ path: '/a', recordedAt: '2026-11-20T12:00:02.000Z', answer: { text: 'line 1\nline 2' } }),
  exchange({ path: '/b', query: 'q=1', method: 'GET', recordedAt: '2026-11-20T12:00:00.000Z' }),
  exchange({ path: '/a', recordedAt: '2026-11-20T12:00:03.000Z', answer: { base64: '/wA=' }, status: 404 }),
];

async function show(args: Partial<ShowArgs> = {}, exchanges = EXCHANGES): Promise<string> {
  const folder = temporaryFolder();
  await recordAll(folder, 'x', exchanges);
  const output = textOutput();
  await runShow(
    {
      folder,
      name: 'x',
      numbers: [],
      selection: {},
      full: false,
      format: 'text',
      redaction: redactionOf(),
      now: Date.parse('2026-11-20T15:00:00Z'),
      ...args,
    },
    output,
  );
  return output.text;
}

describe('recordings show', () => {
  it('has one line for each exchange, in the order of recording', async () => {
    expect((await show()).split('\n')).toEqual([
      '    1  GET     200          3h  /b?q=1',
      '    2  PATCH   200          2h  /b',
      '    3  PATCH   200          2h  /a',
      '    4  PATCH   404          2h  /a',
      '',
    ]);
  });

  it('names the session that one was recorded in, and selects by it', async () => {
    const of = (session: string | undefined, path: string) =>
      exchange({ path, ...(session !== undefined && { session }) });
    const all = [of('a "test"', '/a'), of(undefined, '/b'), of('other', '/c')];
    const selected = (session: string) => show({ selection: { session } }, all);
    expect(await selected('a "test"')).toMatch(/^ {4}\d {2}PATCH {3}200 {10}3h {2}\/a {2}\[a "test"\]\n$/);
    expect(await selected('')).toMatch(/\/b\n$/);
    expect(await show({ selection: { session: 'other' }, full: true }, all)).toContain(
      'took 12 ms, in the session "other"\nPATCH /c\n',
    );
    await expect(selected('none')).rejects.toThrow('x holds no such exchange');
  });

  it('shows some in full, JSON indented, and nothing that a terminal obeys', async () => {
    expect(await show({ numbers: [2] })).toBe(
      [
        '#2  recorded 2026-11-20T12:00:01.000Z (2h ago), took 12 ms',
        'PATCH /b',
        'content-type: application/json',
        '',
        '{',
        '  "name": "Grüße\\u001b[31m"',
        '}',
        '',
        '200 OK',
        'content-type: application/json',
        '\n',
      ].join('\n'),
    );
    expect(await show({ numbers: [3] })).toContain('\nline 1\nline 2\n');
    expect(await show({ numbers: [4] })).toContain('\n(2 B that are no text)\n');
  });

  it.each([
    [{ path: '/b' }, [1, 2]],
    [{ path: '/*', method: 'patch' }, [2, 3, 4]],
    [{ grep: 'Gr.ße' }, [2]],
    [{ grep: 'line 2' }, [3]],
    [{ grep: '^404$|q=1' }, [1]],
  ])('selects by %j', async (selection, numbers) => {
    const found = JSON.parse(await show({ selection, format: 'json' })) as { number: number }[];
    expect(found.map(({ number }) => number)).toEqual(numbers);
  });

  it('shows secrets to nobody, though a file holds them', async () => {
    const exchanges = [exchange({ body: { json: { token: 'SECRET' } }, query: 'apiKey=SECRET' })];
    for (const args of [{}, { full: true }, { format: 'json' as const }])
      expect(await show(args, exchanges)).not.toContain('SECRET');
  });

  it('writes nothing that a terminal obeys', async () => {
    const bad = '\u001b]0;x\u0007\u009b2J';
    const text = await show({ full: true }, [
      exchange({ path: `/${bad}`, query: bad, answer: { text: `a\n${bad}` }, body: { json: bad } }),
    ]);
    expect(text).toContain('\na\n\\u001b]0;x\\u0007\\u009b2J\n');
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('says what is not there', async () => {
    await expect(show({ numbers: [5] })).rejects.toThrow('x holds no exchange 5');
    await expect(show({ selection: { method: 'PUT' } })).rejects.toThrow('no such exchange');
    await expect(show({ selection: { grep: '(' } })).rejects.toThrow('--grep');
    await expect(show({ name: 'xx' })).rejects.toMatchObject({
      code: 'bad-usage',
      hint: 'did you mean "x"?',
    });
    await expect(show({ name: '../x' })).rejects.toThrow('has a slash');
  });

  it('of an empty one says so', async () => {
    expect(await show({}, [])).toBe('x holds no exchanges\n');
    expect(await show({ format: 'json' }, [])).toBe('[]\n');
  });
});
