/** Known findings and changes of a contract from files to exit code, by the command's own pipeline. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { comparing } from '../../../src/commands/check/compare-contracts.ts';
import { FORMATS } from '../../../src/commands/check/outputs.ts';
import { type CheckArgs, runCheck } from '../../../src/commands/check/run-check.ts';
import type { CheckIo } from '../../../src/commands/check/standard-io.ts';
import { loadContract } from '../../../src/contract/load-contract.ts';
import { createGate, type Gate } from '../../../src/gate/gate.ts';
import type { Exchange } from '../../../src/model/exchange.ts';
import { laterRefusal } from '../../support/errors.ts';
import { checkSuppressions } from '../../support/extras.ts';
import { gate, PROJECT_URL, PROXY_DEFAULTS, SCHEMAS } from '../../support/gate.ts';
import { fileText } from '../../support/recorded-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const GOOD = {
  name: 'Checkout',
  languages: ['GO'],
  environments: [{ id: 1, name: 'Live', isEnabled: true }],
};
const { languages: _, ...WITHOUT_LANGUAGES } = GOOD;
const shipped = gate({ guard: 'off' });

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

function write(file: string, content: unknown): void {
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  writeFileSync(join(cwd, file), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

function recorded(...bodies: unknown[]): string {
  return fileText(
    bodies.map((body): Exchange => {
      const headers = { 'content-type': 'application/json' };
      return {
        request: { method: 'PATCH', path: PROJECT_URL, query: '', headers, body: { json: body as never } },
        response: { status: 200, headers: {} },
        meta: { recordedAt: '2026-11-20T12:00:00.000Z', durationMs: 1 },
      };
    }),
  );
}

interface Output {
  summary: Record<string, number>;
  files: { file: string; subjects: { findings: object[]; before?: { gone: object[] } }[] }[];
  remarks?: { message: string }[];
}

async function check(inputs: string[], args: Partial<CheckArgs> = {}, by: Gate = shipped, folder = '.') {
  let output = '';
  const io: CheckIo = {
    cwd: join(cwd, folder),
    today: '2026-11-21',
    stdin: (async function* () {})(),
    stdout: (text) => {
      output += text;
    },
  };
  const base = { inputs, outputs: [{ format: 'json' }], failOn: 'error' } as const;
  const exitCode = await runCheck({ ...base, ...args }, io, () => by);
  return { exitCode, ...(JSON.parse(output) as Output) };
}

const BASELINE = { baseline: 'patchgate-baseline.json' };

describe('a baseline', () => {
  it('lets a team start today, wherever and however check is run', async () => {
    write('bodies/PATCH.json', recorded(WITHOUT_LANGUAGES));
    expect((await check(['.'])).exitCode).toBe(1);
    const wrote = await check(['.'], { ...BASELINE, writeBaseline: true });
    expect([wrote.exitCode, wrote.summary.known, wrote.remarks?.[0]?.message]).toEqual([
      0,
      1,
      'wrote 1 finding to patchgate-baseline.json',
    ]);
    // The exchange moves down, and another one is before it.
    write('bodies/PATCH.json', `\n\n${recorded(GOOD, WITHOUT_LANGUAGES)}`);
    for (const input of ['.', './bodies', 'bodies/*.json', join(cwd, 'bodies/PATCH.json')])
      expect((await check([input], BASELINE)).exitCode).toBe(0);
    const fromBelow = { baseline: join('..', BASELINE.baseline) };
    expect((await check(['PATCH.json'], fromBelow, shipped, 'bodies')).exitCode).toBe(0);

    write('bodies/PATCH.json', recorded(WITHOUT_LANGUAGES, { ...WITHOUT_LANGUAGES, name: 1 }));
    const { exitCode, summary } = await check(['bodies'], BASELINE);
    expect([exitCode, summary.known, summary.errors]).toEqual([1, 1, 2]);
  });

  it('knows what of a body with very many findings was left out, until there is more of it', {
    tags: 'slow',
  }, async () => {
    const body = (count: number) => ({ ...GOOD, languages: Array.from({ length: count }, () => 1) });
    const args = { ...BASELINE, operation: 'updateProject' };
    write('body.json', body(150));
    expect((await check(['body.json'], { ...args, writeBaseline: true })).exitCode).toBe(0);
    expect((await check(['body.json'], args)).exitCode).toBe(0);
    write('body.json', body(149));
    expect((await check(['body.json'], args)).exitCode).toBe(0);
    write('body.json', body(151));
    expect((await check(['body.json'], args)).exitCode).toBe(1);
    // However many are mended, what another rule finds is new: it is never among those that are left out.
    for (const count of [140, 60]) {
      write('body.json', { ...body(count), environments: [...GOOD.environments, ...GOOD.environments] });
      const { exitCode, summary } = await check(['body.json'], args);
      expect([exitCode, summary.errors]).toEqual([1, 1]);
    }
  });

  it('is no input, unless it is named', async () => {
    write(BASELINE.baseline, { version: 1, findings: [] });
    expect(await laterRefusal('bad-input', check(['.'], BASELINE))).toContain(
      'nothing to judge but the config file, the baseline',
    );
    write('PATCH.json', recorded(GOOD));
    expect((await check(['.'], BASELINE)).files.map(({ file }) => file)).toEqual(['PATCH.json']);
    expect(await laterRefusal('bad-usage', check([BASELINE.baseline], BASELINE))).toContain('nothing says');
  });
});

describe('a suppression', () => {
  it('must be of a rule that there is, before anything is judged', async () => {
    const [one] = await checkSuppressions([{ rule: 'schema.typo', pointer: '/name', reason: 'why' }], {
      where: 'the config',
      folder: cwd,
    });
    write('PATCH.json', '{ "exchanges": broken');
    const suppressions = one ? [one] : [];
    expect(await laterRefusal('bad-config', check(['.'], { suppressions }))).toContain('"schema.type"');
  });

  it('of drift is for another command, and of no use here', async () => {
    const suppressions = await checkSuppressions([{ rule: 'drift.added', pointer: '/a', reason: 'why' }], {
      where: 'the config',
      folder: cwd,
    });
    write('PATCH.json', recorded(GOOD));
    expect((await check(['.'], { suppressions })).remarks).toBeUndefined();
  });

  it('holds of a place in the files that it means', async () => {
    const because = { rule: 'schema.required', pointer: '/languages', reason: 'sent by the old client' };
    const suppressions = await checkSuppressions([{ ...because, files: ['old/**'] }], {
      where: 'the config',
      folder: cwd,
    });
    write('old/PATCH.json', recorded(WITHOUT_LANGUAGES));
    expect(await check(['.'], { suppressions })).toMatchObject({ exitCode: 0, summary: { suppressed: 1 } });
    write('new/PATCH.json', recorded(WITHOUT_LANGUAGES));
    expect(await check(['.'], { suppressions })).toMatchObject({ exitCode: 1, summary: { suppressed: 1 } });
  });
});

describe('another contract', () => {
  const folder = temporaryFolder();
  cpSync(SCHEMAS, folder, { recursive: true });
  const file = join(folder, 'update-project.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"GO", ', '').replace('"GO",', ''));
  const stricter = createGate(loadContract(folder), { ...PROXY_DEFAULTS, guard: 'off' });

  it('breaks or allows what is recorded, with the place in the file', async () => {
    const text = recorded(WITHOUT_LANGUAGES, GOOD);
    write('PATCH.json', text);
    const args = { againstContract: 'old' };
    const breaks = await check(['PATCH.json'], args, comparing(stricter, shipped));
    expect(breaks).toMatchObject({
      exitCode: 1,
      summary: { breaks: 1, allows: 0, errors: 1, unchanged: 1, blocked: 2 },
    });
    const line = text.slice(0, text.indexOf('"GO"')).split('\n').length;
    const place = { rule: 'schema.enum', line, column: 15 };
    expect(breaks.files[0]?.subjects[1]?.findings).toMatchObject([place]);
    const allows = await check(['PATCH.json'], args, comparing(shipped, stricter));
    expect(allows).toMatchObject({ exitCode: 0, summary: { breaks: 0, allows: 1, errors: 0, unchanged: 1 } });
    expect(allows.files[0]?.subjects[1]?.before?.gone).toMatchObject([place]);
  });

  it('asks no baseline, and does not judge one that lies among the inputs', async () => {
    write('PATCH.json', recorded(GOOD));
    await check(['.'], { ...BASELINE, writeBaseline: true }, stricter);
    const args = { ...BASELINE, againstContract: 'old' };
    expect(await check(['.'], args, comparing(stricter, shipped))).toMatchObject({
      exitCode: 1,
      summary: { files: 1, breaks: 1, known: 0 },
    });
  });

  it('does so of requests in JSON Lines', async () => {
    const line = JSON.stringify({ method: 'PATCH', url: PROJECT_URL, body: GOOD });
    write('requests.jsonl', `\n${line}\n`);
    const by = comparing(shipped, stricter);
    const { summary, files } = await check(['requests.jsonl'], { againstContract: 'old' }, by);
    expect(summary).toMatchObject({ breaks: 0, allows: 1 });
    const place = { line: 2, column: line.indexOf('"GO"') + 1 };
    expect(files[0]?.subjects[0]?.before?.gone).toMatchObject([place]);
  });
});

describe('the exit code', () => {
  const { name: __, ...WITHOUT_NAME } = GOOD;
  const BODIES = {
    clean: GOOD,
    warning: { ...GOOD, owner: 'me' },
    error: WITHOUT_NAME,
    // More than are told of one by one.
    flood: { ...GOOD, languages: Array.from({ length: 150 }, () => 1) },
  };
  const suppression = (rule: string, expires?: string) =>
    checkSuppressions([{ rule, paths: '**', reason: 'why', ...(expires && { expires }) }], {
      where: 'the config',
      folder: '/',
    });

  it.each<[body: keyof typeof BODIES, error: number, warn: number]>([
    ['clean', 0, 0],
    ['warning', 0, 1],
    ['error', 1, 1],
    ['flood', 1, 1],
  ])('of %s: %i, with --fail-on warn %i, in each format', async (body, error, warn) => {
    write('PATCH.json', recorded(BODIES[body]));
    for (const [failOn, exitCode] of [
      ['error', error],
      ['warn', warn],
    ] as const) {
      for (const format of FORMATS) {
        const outputs = [{ format: 'json' }, { format, file: `out/${format}` }] as const;
        expect([format, (await check(['PATCH.json'], { outputs, failOn })).exitCode]).toEqual([
          format,
          exitCode,
        ]);
      }
    }
  });

  it.each<[body: keyof typeof BODIES, rule: string]>([
    ['warning', 'schema.unknown-field'],
    ['error', 'schema.required'],
    ['flood', 'schema.type'],
  ])('of %s that is known, suppressed, or found by the contract before', async (body, rule) => {
    write('PATCH.json', recorded(BODIES[body]));
    const codeOf = async (args: Partial<CheckArgs>, by = shipped) =>
      (await check(['PATCH.json'], { failOn: 'warn', ...args }, by)).exitCode;
    expect(await codeOf({})).toBe(1);
    expect(await codeOf({ ...BASELINE, writeBaseline: true })).toBe(0);
    expect(await codeOf(BASELINE)).toBe(0);
    const both = await suppression(rule, '2026-11-20');
    expect(await codeOf({ suppressions: both })).toBe(1);
    // It is over, but what it was for is in the baseline.
    expect(await codeOf({ ...BASELINE, suppressions: both })).toBe(0);
    // Nobody knows that those which were left out are of the same rule.
    expect(await codeOf({ suppressions: await suppression(rule) })).toBe(body === 'flood' ? 1 : 0);
    expect(await codeOf({ againstContract: 'old' }, comparing(shipped, shipped))).toBe(0);
  });

  it('of a suppression that is over is 1, though what it was for only warns', async () => {
    write('PATCH.json', recorded(BODIES.warning));
    const suppressions = await suppression('schema.unknown-field', '2026-11-20');
    expect((await check(['PATCH.json'], { suppressions })).exitCode).toBe(1);
    const against = { suppressions, againstContract: 'old' };
    expect((await check(['PATCH.json'], against, comparing(shipped, shipped))).exitCode).toBe(0);
  });
});
