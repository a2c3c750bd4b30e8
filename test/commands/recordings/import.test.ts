import { copyFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type ImportArgs, importedText, runImport } from '../../../src/commands/recordings/import.ts';
import type { Exchange } from '../../../src/model/exchange.ts';
import { matchRules } from '../../../src/recordings/match-rules.ts';
import { redactionOf } from '../../../src/recordings/redact/redaction.ts';
import { openStore } from '../../../src/recordings/store.ts';
import { filesBelow, find } from '../../support/recordings.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SAMPLES = fileURLToPath(new URL('../../support/har/', import.meta.url));
const BROWSER = join(SAMPLES, 'browser.json');

function argsOf(folder: string, parts: Partial<ImportArgs> = {}): ImportArgs {
  return {
    files: [BROWSER],
    folder,
    name: 'x',
    only: [],
    replace: false,
    durability: 'process',
    notice: () => undefined,
    rules: matchRules({}, redactionOf()),
    ...parts,
  };
}

async function found(folder: string, method: string, path: string): Promise<readonly Exchange[]> {
  const store = await openStore(folder, 'x');
  try {
    return find(store, method, path);
  } finally {
    await store.close();
  }
}

/** An archive with one entry for each path; its answers are numbered. */
function archive(folder: string, name: string, ...paths: string[]): string {
  const entries = paths.map((path, i) => ({
    startedDateTime: new Date(i * 1000).toISOString(),
    time: 1,
    request: { method: 'GET', url: `https://${path}`, headers: [{ name: 'X-Tenant', value: 'a' }] },
    response: { status: 200, headers: [], content: { text: `${name} ${i}` } },
  }));
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify({ log: { entries } }));
  return file;
}

const texts = (exchanges: readonly Exchange[]) => exchanges.map(({ response }) => response?.body);

describe('recordings import', () => {
  it("records what a browser's archive holds, redacted, and counts what it skips", async () => {
    const folder = temporaryFolder();
    const imported = await runImport(argsOf(folder));
    expect(importedText(imported, join('recordings', 'x'))).toBe(
      [
        'imported 2 exchanges of 8 entries into recordings/x',
        "skipped: 2 no response, 1 the response's body is not in the file, 1 WebSocket, 1 not HTTP (data:), 1 not HTTP (chrome-extension:)",
        '',
      ].join('\n'),
    );
    expect(await found(folder, 'PATCH', '/api/v2/accounts/current/features/7')).toEqual([
      {
        request: {
          method: 'PATCH',
          path: '/api/v2/accounts/current/features/7',
          query: 'token=[redacted]',
          headers: { accept: 'application/json', 'content-type': 'application/json' },
          body: { json: { name: 'Grüße', password: '[redacted]' } },
        },
        response: {
          status: 200,
          headers: { 'content-type': 'application/json', 'x-two': ['one', 'two'] },
          body: { text: '{"id":7.0}\n' },
        },
        meta: { recordedAt: '2026-11-20T12:00:02.000Z', durationMs: 42 },
      },
    ]);
    expect(await found(folder, 'GET', '/gone')).toEqual([]);
    expect(JSON.stringify(filesBelow(folder))).not.toContain('SECRET');
  });

  it("records what a proxy's archive holds, with the bodies beside it", async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'proxy.har');
    copyFileSync(join(SAMPLES, 'proxy.json'), file);
    writeFileSync(join(folder, 'attached.txt'), 'attached');
    const imported = await runImport(argsOf(join(folder, 'recordings'), { files: [file] }));
    expect(imported).toMatchObject({ exchanges: 4, entries: 6 });
    const recordings = join(folder, 'recordings');
    expect(await found(recordings, 'POST', '/login')).toMatchObject([
      {
        request: { body: { text: 'user+name=a%26b&password=[redacted]' } },
        response: { status: 302, headers: { location: '/home?apiKey=[redacted]' } },
      },
    ]);
    expect(texts(await found(recordings, 'GET', '/coded'))).toEqual([{ text: 'hello' }]);
    expect(texts(await found(recordings, 'GET', '/attached'))).toEqual([{ text: 'attached' }]);
    expect(JSON.stringify(filesBelow(recordings))).not.toContain('SECRET');
  });

  it('adds to what is there, or replaces it', async () => {
    const folder = temporaryFolder();
    const one = archive(folder, 'one', 'h/a', 'h/a', 'h/b');
    const two = archive(folder, 'two', 'h/a');
    await runImport(argsOf(folder, { files: [one] }));
    await runImport(argsOf(folder, { files: [two] }));
    expect(texts(await found(folder, 'GET', '/a'))).toEqual([
      { text: 'one 0' },
      { text: 'one 1' },
      { text: 'two 0' },
    ]);
    await runImport(argsOf(folder, { files: [two], replace: true }));
    expect(texts(await found(folder, 'GET', '/a'))).toEqual([{ text: 'two 0' }]);
    expect(texts(await found(folder, 'GET', '/b'))).toEqual([{ text: 'one 2' }]);
    const before = filesBelow(join(folder, 'x'));
    await runImport(argsOf(folder, { files: [two], replace: true }));
    expect(filesBelow(join(folder, 'x'))).toEqual(before);
  });

  it.each([
    [{ only: ['https://one.example/'] }, ['/api/a', '/b']],
    [{ only: ['/api/'] }, ['/api/a', '/api/c']],
    [{ only: ['https://*.example/api/', '/b'] }, ['/api/a', '/b', '/api/c']],
    [{ method: 'get' }, ['/api/a', '/b', '/api/c']],
  ])('takes only %j', async (parts, paths) => {
    const folder = temporaryFolder();
    const files = [archive(folder, 'f', 'one.example/api/a', 'one.example/b', 'two.example/api/c')];
    const imported = await runImport(argsOf(folder, { files, ...parts }));
    expect(imported.exchanges).toBe(paths.length);
    for (const path of paths) expect(await found(folder, 'GET', path)).toHaveLength(1);
  });

  it('names the hosts, where there are several', async () => {
    const folder = temporaryFolder();
    const imported = await runImport(
      argsOf(folder, { files: [archive(folder, 'f', 'b.example/', 'a.example/')] }),
    );
    expect(importedText(imported, 'x')).toContain(
      '2 hosts, which a recording does not tell apart: https://a.ex',
    );
  });

  it('keeps headers that matching looks at', async () => {
    const folder = temporaryFolder();
    const files = [archive(folder, 'f', 'h/a')];
    const rules = matchRules({ matchHeaders: ['X-Tenant'] }, redactionOf());
    await runImport(argsOf(folder, { files, rules }));
    expect(await found(folder, 'GET', '/a')).toMatchObject([{ request: { headers: { 'x-tenant': 'a' } } }]);
  });

  it('leaves out entries that are odd, tells each, and takes those without a time', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'odd.har');
    const of = (path: string, more: object = {}) => ({
      request: { method: 'GET', url: `https://h${path}` },
      response: { status: 200, content: { text: path } },
      ...more,
    });
    const entries = [
      of('/a'),
      null,
      of('/b', { request: { method: 'GET', url: 7 } }),
      of('/c', { startedDateTime: 'yesterday', time: 'long' }),
      of('/d', { response: { status: '200' } }),
      of('/e', { response: { status: 200, content: { _file: 'gone' } } }),
    ];
    writeFileSync(file, JSON.stringify({ log: { entries } }, null, 1));
    const notices: string[] = [];
    const imported = await runImport(argsOf(folder, { files: [file], notice: (text) => notices.push(text) }));
    expect(importedText(imported, 'x')).toBe(
      'imported 2 exchanges of 6 entries into x\nskipped: 4 not as HAR 1.2 says\n',
    );
    expect(notices).toEqual([
      expect.stringMatching(/^left out: .*odd\.har:16:4: \/log\/entries\/1 must be an object$/),
      expect.stringMatching(/odd\.har:20:13: \/log\/entries\/2\/request\/url must be a text$/),
      expect.stringMatching(/odd\.har:\d+:\d+: \/log\/entries\/4\/response\/status must be an integer$/),
      expect.stringMatching(/gone/),
    ]);
    expect(texts(await found(folder, 'GET', '/c'))).toEqual([{ text: '/c' }]);
  });

  it('records nothing where one of the archives is broken', async () => {
    const folder = temporaryFolder();
    const good = archive(folder, 'good', 'h/a');
    const bad = join(folder, 'bad');
    writeFileSync(bad, '{"log":{"entries":\n{}}}');
    await expect(runImport(argsOf(folder, { files: [good, bad] }))).rejects.toThrow(
      `${bad}:2:1: /log/entries must be a list`,
    );
    expect(filesBelow(join(folder, 'x'))).toEqual({});
  });

  it('tells of values that only look like secrets', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'x.har');
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const postData = { mimeType: 'application/json', text: JSON.stringify({ note: token }) };
    const entry = {
      startedDateTime: '2026-11-20T12:00:00Z',
      request: { method: 'POST', url: 'http://h/a', postData },
      response: { status: 204 },
    };
    writeFileSync(file, JSON.stringify({ log: { entries: [entry] } }));
    const notices: string[] = [];
    await runImport(argsOf(folder, { files: [file], notice: (text) => notices.push(text) }));
    expect(notices).toEqual([expect.stringMatching(/redacted .*note of POST \/a/)]);
    expect(JSON.stringify(filesBelow(join(folder, 'x')))).not.toContain(token);
  });

  it('says why nothing was imported', async () => {
    const folder = temporaryFolder();
    const run = (parts: Partial<ImportArgs>) => runImport(argsOf(folder, parts));
    await expect(run({ files: [archive(folder, 'none')] })).rejects.toThrow('it has no entries');
    await expect(run({ method: 'PUT' })).rejects.toThrow('skipped: 8 another method');
    await expect(run({ files: [join(folder, 'missing')] })).rejects.toThrow('it does not exist');
    await expect(run({ files: [folder] })).rejects.toMatchObject({ code: 'bad-input' });
    expect(filesBelow(join(folder, 'x'))).toEqual({});
  });

  it('refuses an archive that does not fit into memory', { tags: 'slow' }, async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'x.har');
    writeFileSync(file, '');
    truncateSync(file, 256 * 1024 * 1024 + 1);
    await expect(runImport(argsOf(folder, { files: [file] }))).rejects.toThrow('more than 256 MiB');
  });

  it.each(['../secret', 'link', 'folder', 'secret\0'])('reads no body from elsewhere: %j', async (name) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'secret'), 'SECRET');
    mkdirSync(join(folder, 'in', 'folder'), { recursive: true });
    symlinkSync(join(folder, 'secret'), join(folder, 'in', 'link'));
    const content = { _file: name };
    const entry = {
      startedDateTime: '2026-11-20T12:00:00Z',
      request: { method: 'GET', url: 'http://h/' },
      response: { status: 200, content },
    };
    const file = join(folder, 'in', 'x.har');
    writeFileSync(file, JSON.stringify({ log: { entries: [entry] } }));
    const notices: string[] = [];
    const run = runImport(argsOf(folder, { files: [file], notice: (text) => notices.push(text) }));
    await expect(run).rejects.toThrow('skipped: 1 not as HAR 1.2 says');
    expect(notices).toEqual([expect.stringContaining('no file in its folder')]);
  });
});
