import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findInputs } from '../../../src/commands/check/find-inputs.ts';
import { InitialState } from '../../../src/commands/check/history.ts';
import { bodyTargets, judgeAll } from '../../../src/commands/check/judge.ts';
import type { GateOptions } from '../../../src/gate/gate.ts';
import type { JsonObject } from '../../../src/json/json.ts';
import { losesEnvironment } from '../../../src/model/effect.ts';
import type { Exchange } from '../../../src/model/exchange.ts';
import type { Known, RecordName } from '../../../src/model/record.ts';
import { type ExchangeParts, exchange, PROJECT_PATH } from '../../support/exchanges.ts';
import { checkBodies } from '../../support/extras.ts';
import { brief, gate } from '../../support/gate.ts';
import { at, fileText, projectOf, writeRecording } from '../../support/recorded-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

interface Options {
  gate?: Partial<GateOptions>;
  known?: { name: RecordName; known: Known }[];
  path?: string;
  stdin?: string;
}

async function judge(inputs: string[], options: Options = {}) {
  const { known = [], path, stdin = '' } = options;
  const io = {
    cwd,
    stdin: (async function* () {
      yield Buffer.from(stdin);
    })(),
  };
  const initial = new InitialState(known);
  const files = await findInputs(inputs, { cwd });
  const as = { operation: undefined, path };
  return judgeAll(gate({ guard: 'off', ...options.gate }), files, as, initial, io);
}

/** Ids of what each PATCH loses: those of the first file whose name ends so. */
async function losses(inputs: string[], options: Options = {}, ending = 'PATCH.json') {
  const file = (await judge(inputs, options)).find(({ file }) => file.endsWith(ending));
  return (file?.subjects ?? []).map(({ effects = [] }) =>
    effects.filter(losesEnvironment).map(({ id }) => id),
  );
}

function patch(second: number, body: JsonObject, more: ExchangeParts = {}): Exchange {
  return exchange({ body: { json: body }, recordedAt: at(second), ...more });
}

function other(method: string, second: number, answer?: JsonObject, more: ExchangeParts = {}): Exchange {
  return exchange({ method, recordedAt: at(second), ...(answer && { answer: { json: answer } }), ...more });
}

describe('a recording', () => {
  it('is a history: each PATCH is held against what the ones before it left', async () => {
    const [file = ''] = writeRecording(join(cwd, 'recordings/checkout'), [
      patch(0, projectOf([1, 'Production'], [2, 'Staging'])),
      patch(1, projectOf([1, 'Production'], [3, 'QA'])),
      patch(2, projectOf([11, 'Production'], [3, 'QA'])),
      patch(3, { ...projectOf([11, 'Production'], [3, 'QA']), languages: ['PHP'] }),
    ]);
    const [checked] = await judge(['recordings']);
    expect(checked?.file).toBe(`recordings/checkout/${file}`);
    expect(checked?.subjects.map(({ pointer, findings }) => [pointer, ...brief(findings)])).toEqual([
      ['/exchanges/0'],
      ['/exchanges/1', 'project.environment-deleted warn /environments'],
      ['/exchanges/2', 'project.environment-replaced warn /environments/0/id'],
      ['/exchanges/3', 'project.language-removed warn /languages'],
    ]);
    expect(checked?.subjects[0]).not.toHaveProperty('effects');
    expect(checked?.subjects[1]?.effects).toEqual([
      { kind: 'environment-deleted', id: 2, name: 'Staging' },
      { kind: 'environment-created', id: 3, name: 'QA' },
    ]);
  });

  it('says how many effects there are beyond the first', async () => {
    const ids = Array.from({ length: 120 }, (_, index) => index + 1);
    writeRecording(join(cwd, 'r'), [
      patch(0, projectOf(...ids)),
      patch(1, projectOf(1)),
      patch(2, projectOf(1)),
    ]);
    const [checked] = await judge(['r']);
    const counts = checked?.subjects.map(({ effects, effectsOmitted }) => [effects?.length, effectsOmitted]);
    expect(counts).toEqual([
      [undefined, undefined],
      [100, 19],
      [undefined, undefined],
    ]);
  });

  it('shows each loss at its place in the file', async () => {
    const exchanges = [
      patch(0, projectOf([1, 'Production'], [2, 'Staging'])),
      patch(1, projectOf([1, 'Production'])),
      patch(2, projectOf([12, 'Production'])),
    ];
    writeRecording(join(cwd, 'r'), exchanges);
    const [checked] = await judge(['r']);
    const lines = fileText(exchanges).split('\n');
    const places = checked?.subjects.flatMap(({ findings }) =>
      findings.map(({ line = 0, column = 0 }) => lines[line - 1]?.slice(column - 1)),
    );
    expect(places).toEqual(['[', '12,']);
    const [deleted, replaced] = checked?.subjects.flatMap(({ findings }) => findings) ?? [];
    expect(lines[(deleted?.line ?? 0) - 1]).toContain('"environments": [');
    expect(replaced?.line).toBe(lines.findIndex((line) => line.includes('"id": 12,')) + 1);
  });

  it('is told across its files, in the order of recording', async () => {
    writeRecording(join(cwd, 'r'), [
      patch(10, projectOf(1, 2)),
      patch(30, projectOf(1)),
      patch(50, projectOf(1)),
      other('GET', 20, projectOf(1, 2, 3)),
      other('DELETE', 40),
    ]);
    expect(await losses(['r'])).toEqual([[], [2, 3], []]);
  });

  it('reveals with a GET what nobody has sent', async () => {
    writeRecording(join(cwd, 'r'), [other('GET', 0, { _data: projectOf(1, 7) }), patch(1, projectOf(1))]);
    expect(await losses(['r'])).toEqual([[7]]);
  });

  it('does not learn from what comes later', async () => {
    writeRecording(join(cwd, 'r'), [patch(0, projectOf(1)), other('GET', 1, projectOf(1, 7))]);
    expect(await losses(['r'])).toEqual([[]]);
  });

  it('learns nothing from what was refused, and both from what has no known end', async () => {
    writeRecording(join(cwd, 'r'), [
      patch(0, projectOf(1, 2)),
      patch(1, projectOf(2), { status: 422 }),
      patch(3, projectOf(1, 2)),
      patch(4, projectOf(1, 5), { status: 504 }),
      patch(5, projectOf(1)),
      patch(6, projectOf(1, 8), { status: 502 }),
      patch(7, projectOf(1)),
    ]);
    expect(await losses(['r'])).toEqual([[], [1], [], [2], [2, 5], [], [8]]);
  });

  it('goes by the file where the times of a file say otherwise', async () => {
    // As where the first was recorded anew in its place.
    writeRecording(join(cwd, 'r'), [
      patch(9, projectOf(1, 2)),
      patch(1, projectOf(1)),
      other('GET', 5, projectOf(1, 2, 3)),
    ]);
    expect(await losses(['r'])).toEqual([[3], [2]]);
  });

  it('goes by the order of the files where times are equal', async () => {
    const [get = '', sent = ''] = writeRecording(join(cwd, 'r'), [
      other('GET', 0, projectOf(1, 7)),
      patch(0, projectOf(1)),
      patch(0, projectOf(2)),
    ]);
    expect(await losses([`r/${get}`, `r/${sent}`])).toEqual([[7], [1]]);
    expect(await losses([`r/${sent}`, `r/${get}`])).toEqual([[], [1]]);
  });

  it('counts what was known without an answer of the same millisecond, which may have come before or after', async () => {
    writeRecording(join(cwd, 'r'), [
      patch(0, projectOf(1, 2)),
      patch(5, projectOf(1)),
      other('GET', 5, projectOf(1, 7)),
      patch(6, projectOf(1)),
      patch(6, projectOf(1, 3)),
      other('DELETE', 8),
      patch(8, projectOf(1)),
    ]);
    expect(await losses(['r'])).toEqual([[], [2, 7], [], [], [3]]);
    const strict = await judge(['r'], { gate: { guard: 'strict' } });
    const subjects = strict.flatMap(({ subjects }) => subjects);
    const unknown = subjects
      .flatMap(({ findings }) => brief(findings))
      .filter((text) => text.includes('unknown'));
    expect(unknown).toEqual(['project.state-unknown error']);
  });

  it('is the same whichever way its files are given', async () => {
    const names = writeRecording(join(cwd, 'r'), [
      patch(1, projectOf(1)),
      other('GET', 0, projectOf(1, 7)),
      other('DELETE', 2),
    ]).map((name) => `r/${name}`);
    expect(await losses(names)).toEqual([[7]]);
    expect(await losses(names.toReversed())).toEqual([[7]]);
    expect(await losses([names[2] as string, 'r'])).toEqual([[7]]);
    expect(await losses([join(cwd, 'r')])).toEqual([[7]]);
  });

  it('knows a project by its id under current and under an integer', async () => {
    writeRecording(join(cwd, 'r'), [
      patch(0, projectOf(1, 2), { path: '/accounts/current/projects/42' }),
      patch(1, projectOf(1), { path: '/accounts/77/projects/42' }),
      patch(2, projectOf(1), { path: '/accounts/78/projects/42' }),
    ]);
    const known = (account: string) => losses(['r'], {}, `accounts/${account}/projects/42/PATCH.json`);
    expect(await known('77')).toEqual([[2]]);
    // Which of the two current is, nobody knows.
    expect(await known('78')).toEqual([[2]]);
  });

  it('knows nothing of another one, though both lie in one folder', async () => {
    writeRecording(join(cwd, 'recordings/a'), [patch(0, projectOf(1, 2)), patch(5, projectOf(1))]);
    writeRecording(join(cwd, 'recordings/b'), [patch(1, projectOf(3)), patch(6, projectOf(3, 4))]);
    expect(await losses(['recordings'], {}, `a${PROJECT_PATH}/PATCH.json`)).toEqual([[], [2]]);
    expect(await losses(['recordings'], {}, `b${PROJECT_PATH}/PATCH.json`)).toEqual([[], []]);
  });

  it('is known by its folder, whatever its path needs to be a file', async () => {
    const path = `/Base/${'x'.repeat(700)}/accounts/current/projects/42`;
    writeRecording(join(cwd, 'r'), [
      patch(1, projectOf(1), { path }),
      other('GET', 0, projectOf(1, 7), { path }),
    ]);
    expect(await losses(['r'])).toEqual([[7]]);
  });
});

describe('a file', () => {
  it('given alone is a history by itself', async () => {
    const [, sent = ''] = writeRecording(join(cwd, 'r'), [
      other('GET', 0, projectOf(1, 7)),
      patch(1, projectOf(1, 2)),
      patch(2, projectOf(1)),
    ]);
    expect(await losses([`r/${sent}`])).toEqual([[], [2]]);
  });

  it('that was moved is one too', async () => {
    const [get = '', sent = ''] = writeRecording(join(cwd, 'r'), [
      other('GET', 0, projectOf(1, 7)),
      patch(1, projectOf(1, 2)),
      patch(2, projectOf(1)),
    ]);
    renameSync(join(cwd, 'r', sent), join(cwd, 'r', dirname(get), 'moved.json'));
    expect(await losses(['r'], {}, 'moved.json')).toEqual([[], [2]]);
  });

  it('with exchanges of several paths is one of all of them', async () => {
    mkdirSync(join(cwd, 'r'));
    writeFileSync(
      join(cwd, 'r/all.json'),
      fileText([
        other('GET', 0, projectOf(1, 7)),
        patch(1, projectOf(3), { path: '/accounts/current/projects/43' }),
        patch(2, projectOf(1)),
        patch(3, projectOf(4), { path: '/accounts/current/projects/43' }),
      ]),
    );
    expect(await losses(['r'], {}, 'all.json')).toEqual([[], [7], [3]]);
  });

  it('from standard input, which can be read only once, is judged all the same', async () => {
    const stdin = fileText([patch(0, projectOf(1, 2)), patch(1, projectOf(1))]);
    expect(await losses(['-'], { stdin }, '<stdin>')).toEqual([[], [2]]);
  });
});

describe('the guard', () => {
  beforeEach(() => {
    writeRecording(join(cwd, 'r'), [
      patch(0, projectOf([1, 'Production'], [2, 'e2e-1'], [3, 'Staging'])),
      patch(1, projectOf([1, 'Production'])),
    ]);
  });

  it('makes errors of deletions', async () => {
    const [checked] = await judge(['r'], { gate: { guard: 'on' } });
    expect(checked?.subjects.map(({ outcome, findings }) => [outcome, ...brief(findings)])).toEqual([
      ['pass'],
      [
        'block',
        'project.environment-deleted error /environments',
        'project.environment-deleted error /environments',
      ],
    ]);
  });

  it('lets those go that are named', async () => {
    const [checked] = await judge(['r'], { gate: { guard: 'on', allowDelete: ['e2e-*', 'Staging'] } });
    expect(checked?.subjects.map(({ outcome }) => outcome)).toEqual(['pass', 'pass']);
  });

  it('that is strict says where nothing is known, at the body', async () => {
    const [checked] = await judge(['r'], { gate: { guard: 'strict' } });
    const [first, second] = checked?.subjects ?? [];
    expect(first?.findings).toMatchObject([
      {
        rule: 'project.state-unknown',
        severity: 'error',
        pointer: '',
        excerpt: { text: expect.stringMatching(/^ +"json": {$/) },
      },
    ]);
    expect(brief(second?.findings ?? [])).not.toContain('project.state-unknown error');
  });
});

describe('what is known initial', () => {
  const name: RecordName = { account: 'current', kind: 'project', id: '42' };
  const known = [{ name, known: { record: projectOf(1, 9), isWhole: true } }];

  it('is so before the first exchange of each recording', async () => {
    writeRecording(join(cwd, 'a'), [patch(0, projectOf(1)), patch(1, projectOf(1))]);
    writeRecording(join(cwd, 'b'), [patch(2, projectOf(9))]);
    expect(await losses(['a', 'b'], { known }, `a${PROJECT_PATH}/PATCH.json`)).toEqual([[9], []]);
    expect(await losses(['a', 'b'], { known }, `b${PROJECT_PATH}/PATCH.json`)).toEqual([[1]]);
  });

  it('counts for bodies, each by itself', async () => {
    writeFileSync(join(cwd, '1.json'), JSON.stringify(projectOf(1)));
    writeFileSync(join(cwd, '2.json'), JSON.stringify(projectOf(9)));
    const path = '/accounts/77/projects/42';
    expect(await losses(['1.json', '2.json'], { known, path }, '1.json')).toEqual([[9]]);
    expect(await losses(['1.json', '2.json'], { known, path }, '2.json')).toEqual([[1]]);
    expect(await losses(['1.json'], { known, path: '/accounts/77/projects/43' }, '1.json')).toEqual([[]]);
    expect(await losses(['1.json'], { path }, '1.json')).toEqual([[]]);
  });

  it('of a flag counts with what is sent since, also where flags are not learnt', async () => {
    const path = '/accounts/current/features/7';
    const flag: RecordName = { account: 'current', kind: 'feature', id: '7' };
    const variables = (...ids: number[]) => ({
      variables: ids.map((id) => ({ id, variableName: `v${id}` })),
    });
    const before = [{ name: flag, known: { record: variables(1), isWhole: true } }];
    writeRecording(join(cwd, 'r'), [
      patch(0, variables(2), { path }),
      patch(1, variables(3), { path }),
      other('GET', 2, variables(3), { path }),
      patch(3, variables(3, 4), { path }),
    ]);
    /** How often each PATCH names a variable that the flag has not. */
    const unknown = async (options: Options) => {
      const checked = (await judge(['r'], options)).find(({ file }) => file.endsWith('PATCH.json'));
      const isUnknown = ({ rule }: { rule: string }) => rule === 'feature.unknown-variable';
      return checked?.subjects.map(({ findings }) => findings.filter(isUnknown).length);
    };
    expect(await unknown({ known: before })).toEqual([1, 1, 1]);
    expect(await unknown({})).toEqual([0, 0, 0]);
  });
});

const GATE = gate({ guard: 'off' });
const mapped = (...bodies: object[]) => checkBodies(bodies, { where: 'the config', folder: '/repo' });

describe('what a body is judged as', () => {
  it('is what the options say, then the first mapping that is for its file', async () => {
    const bodies = await mapped(
      { files: 'a/**', operation: 'updateDraft' },
      { files: '*.json', path: '/accounts/current/features/7' },
    );
    const targets = bodyTargets(GATE, { bodies });
    expect(targets('/repo/a/x.json', 'a/x.json').match.operation).toBe('updateDraft');
    expect(targets('/repo/b/x.json', 'b/x.json')).toMatchObject({
      match: { operation: 'updateFeature' },
      record: { kind: 'feature', id: '7' },
    });
    const given = bodyTargets(GATE, { operation: 'updateProject', bodies });
    expect(given('/repo/a/x.json', 'a/x.json').match.operation).toBe('updateProject');
    expect(given(undefined, '<stdin>').match.operation).toBe('updateProject');
  });

  it('is asked for where nothing says it', async () => {
    const bodies = await mapped({ files: '**', operation: 'updateDraft' });
    for (const [as, file] of [
      [{}, '/repo/x.json'],
      [{ bodies }, undefined],
    ] as const) {
      expect(() => bodyTargets(GATE, as)(file, 'x.json')).toThrow(
        expect.objectContaining({
          code: 'bad-usage',
          message: 'nothing says which operation the body x.json is for',
          hint: expect.stringMatching(/--operation.*updateProject.*--path.*"bodies" in the config file/),
        }),
      );
    }
  });

  it.each([
    [{ operation: 'updateX' }, 'bad-usage', /^the contract has no operation "updateX"/],
    [{ path: '/x' }, 'bad-usage', /^no operation of the contract is a PATCH of \/x/],
  ])('%j names nothing', (as, code, message) => {
    expect(() => bodyTargets(GATE, as)).toThrow(
      expect.objectContaining({
        code,
        message: expect.stringMatching(message),
        hint: expect.stringContaining('updateDraft'),
      }),
    );
  });

  it.each([
    [{ operation: 'updateX' }, 'bodies[1].operation in the config: the contract has no operation "updateX"'],
    [{ path: '/x' }, 'bodies[1].path in the config: no operation of the contract is a PATCH of /x'],
  ])('the mapping %j names nothing, used or not', async (as, message) => {
    const bodies = await mapped({ files: 'a', operation: 'updateDraft' }, { files: 'b', ...as });
    expect(() => bodyTargets(GATE, { bodies })).toThrow(
      expect.objectContaining({ code: 'bad-config', message, hint: expect.stringContaining('updateDraft') }),
    );
  });
});
