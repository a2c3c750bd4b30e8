import { describe, expect, it } from 'vitest';
import { PatchgateError } from '../../../src/errors.ts';
import { readHar } from '../../../src/recordings/har/read-har.ts';

const entry = {
  startedDateTime: '2026-11-20T12:00:00Z',
  request: { method: 'GET', url: 'http://h/' },
  response: { status: 200 },
};
const har = (...entries: object[]) => ({ log: { entries } });
const read = (value: unknown) => readHar(Buffer.from(JSON.stringify(value, null, 2)), 'x.har');

function errorOf(work: () => unknown): PatchgateError {
  try {
    work();
  } catch (error) {
    if (error instanceof PatchgateError) return error;
  }
  throw new Error('no PatchgateError');
}

describe('what is read', () => {
  it('is in the order of time, across time zones', () => {
    const at = (startedDateTime: string) => ({ ...entry, startedDateTime });
    const times = ['2026-11-20T12:00:02Z', '2026-11-20T14:00:01+02:00', '2026-11-20T12:00:00.5Z'];
    expect(read(har(...times.map(at))).entries.map((one) => one.startedDateTime)).toEqual(times.toReversed());
  });

  it('stays in its order where we wrote it', () => {
    const { entries, isOwn } = read({
      log: {
        creator: { name: 'patchgate' },
        entries: [
          { ...entry, startedDateTime: '2026-11-20T12:00:02Z' },
          { ...entry, startedDateTime: '2026-11-20T12:00:01Z' },
        ],
      },
    });
    expect(isOwn).toBe(true);
    expect(entries[0]?.startedDateTime).toContain('02Z');
  });

  it('may begin with a byte order mark, and leave out or null what nobody knows', () => {
    const text = JSON.stringify(
      har(
        { ...entry, time: null, request: { ...entry.request, headers: null, postData: null } },
        {
          ...entry,
          response: undefined,
        },
      ),
    );
    expect(readHar(Buffer.from(`\ufeff${text}`), 'x.har').entries).toHaveLength(2);
  });
});

describe('an entry without a time', () => {
  it.each([[undefined], ['x'], [1], [null]])('has that of the one before it: %j', (startedDateTime) => {
    const at = (time: string) => ({ ...entry, startedDateTime: time });
    const [a, b] = ['2026-11-20T12:00:02Z', '2026-11-20T12:00:01Z'];
    const { entries, odd } = read(
      har({ ...entry, startedDateTime, n: 1 }, at(a), { ...entry, startedDateTime, n: 2 }, at(b)),
    );
    expect(entries).toEqual([at(b), { ...at(a), n: 1 }, at(a), { ...at(a), n: 2 }]);
    expect(odd).toEqual([]);
  });

  it('has that of now where none has one', () => {
    const before = Date.now();
    const { startedDateTime: _, ...rest } = entry;
    const times = read(har(rest, rest)).entries.map((one) => Date.parse(one.startedDateTime));
    for (const time of times) expect(time).toBeGreaterThanOrEqual(before);
  });
});

describe('what is refused or left out, with its place', () => {
  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'x.har:1:1: the document ends where a value should be'],
    ['a cut file', '{"log": {\n  "entries": [', 'x.har:2:15: the document ends'],
    ['something else', '[]', 'x.har:1:1: must be an object'],
    ['no entries', '{"log":\n {"a": 1}}', 'x.har:2:3: /log/entries is missing'],
    ['no log', '{}', 'x.har:1:2: /log is missing'],
    ['entries that are none', '{"log": {"entries": 1}}', 'x.har:1:21: /log/entries must be a list'],
    [
      'two lists',
      '{"log": {"entries": [],\n"entries": []}}',
      'x.har:2:1: entries stands here for the second time',
    ],
    ['compressed', Buffer.from([0x1f, 0x8b]), 'x.har is compressed'],
    ['a ZIP archive', Buffer.from('PK\u0003\u0004'), 'x.har is a ZIP archive'],
    ['no UTF-8', Buffer.from([0xff, 0xfe, 0x7b, 0]), 'x.har is not valid UTF-8'],
  ])('%s', (_, content, message) => {
    const error = errorOf(() => readHar(Buffer.from(content as string), 'x.har'));
    expect(error.code).toBe('bad-input');
    expect(error.message).toContain(message);
    expect(error.hint).toBeTruthy();
  });

  it.each<[string, unknown]>([
    ['x.har:4:7: /log/entries/0 must be an object', har(1 as unknown as object)],
    ['x.har:5:20: /log/entries/0/request must be an object', har({ request: 'x' })],
    ['/log/entries/0/request must be an object', har({ ...entry, request: 'x' })],
    ['/log/entries/0/request/method is missing', har({ ...entry, request: { url: 'x' } })],
    ['/log/entries/0/request/url is missing', har({ ...entry, request: { method: 'x' } })],
    [
      '/log/entries/0/request/headers must be a list or null',
      har({ ...entry, request: { ...entry.request, headers: {} } }),
    ],
    [
      '/log/entries/0/request/headers/1/value must be a text, a number or a list of these',
      har({
        ...entry,
        request: {
          ...entry.request,
          headers: [
            { name: 'a', value: 'b' },
            { name: 'a', value: {} },
          ],
        },
      }),
    ],
    [
      '/log/entries/0/request/postData/text must be a text or null',
      har({ ...entry, request: { ...entry.request, postData: { text: 1 } } }),
    ],
    ['/log/entries/0/response/status must be an integer', har({ ...entry, response: { status: 'x' } })],
    [
      '/log/entries/0/response/content must be an object or null',
      har({ ...entry, response: { status: 1, content: 1 } }),
    ],
    ['/log/entries/0/_patchgate/path must be a text', har({ ...entry, _patchgate: { path: 1 } })],
    [
      '/log/entries/0/_patchgate/session must be 1 to 100 printable',
      har({ ...entry, _patchgate: { session: '' } }),
    ],
    [
      '/log/entries/0/_patchgate/omitted/request must be an integer',
      har({ ...entry, _patchgate: { omitted: { request: '1' } } }),
    ],
    ['/log/entries/0/response/status is missing', har({ ...entry, response: {} })],
  ])('an entry: %s', (message, value) => {
    const { entries, odd } = read(
      har(entry, ...(value as { log: { entries: object[] } }).log.entries, entry),
    );
    expect(entries).toEqual([entry, entry]);
    expect(odd).toEqual([
      expect.stringContaining(
        message
          .replace('x.har:4', 'x.har:14')
          .replace('x.har:5', 'x.har:15')
          .replace('entries/0', 'entries/1'),
      ),
    ]);
  });
});
