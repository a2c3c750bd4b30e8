import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findInputs } from '../../../src/commands/check/find-inputs.ts';
import { judgeAll } from '../../../src/commands/check/judge.ts';
import type { JudgedAs } from '../../../src/commands/check/operation.ts';
import type { GateOptions } from '../../../src/gate/gate.ts';
import { exchange } from '../../support/exchanges.ts';
import { brief, gate } from '../../support/gate.ts';
import { at, fileText, projectOf, writeRecording } from '../../support/recorded-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

async function judge(inputs: string[], as: JudgedAs = {}, options: Partial<GateOptions> = {}) {
  const io = { cwd, stdin: (async function* () {})() };
  return judgeAll(gate({ guard: 'off', ...options }), await findInputs(inputs, { cwd }), as, io);
}

describe('a recording', () => {
  const EXCHANGES = [
    projectOf([1, 'Production'], [2, 'Staging']),
    projectOf([1, 'Production'], [3, 'QA']),
    projectOf([11, 'Production'], [3, 'QA']),
  ].map((json, second) => exchange({ body: { json }, recordedAt: at(second) }));

  it('has each PATCH of a file held against what the ones before it left', async () => {
    const [file = ''] = writeRecording(join(cwd, 'recordings/checkout'), EXCHANGES);
    const [checked] = await judge(['recordings']);
    expect(checked?.file).toBe(`recordings/checkout/${file}`);
    expect(checked?.subjects.map(({ pointer, findings }) => [pointer, ...brief(findings)])).toEqual([
      ['/exchanges/0'],
      ['/exchanges/1', 'project.environment-deleted warn /environments'],
      ['/exchanges/2', 'project.environment-replaced warn /environments/0/id'],
    ]);
    expect(checked?.subjects[0]).not.toHaveProperty('effects');
    expect(checked?.subjects[1]?.effects).toEqual([
      { kind: 'environment-deleted', id: 2, name: 'Staging' },
      { kind: 'environment-created', id: 3, name: 'QA' },
    ]);
    const lines = fileText(EXCHANGES).split('\n');
    const places = checked?.subjects.flatMap(({ findings }) =>
      findings.map(({ line = 0, column = 0 }) => lines[line - 1]?.slice(column - 1)),
    );
    expect(places).toEqual(['[', '11,']);
  });

  it.each<[Partial<GateOptions>, string[]]>([
    [{ guard: 'on' }, ['pass', 'block', 'block']],
    [{ guard: 'on', allowDelete: ['*'] }, ['pass', 'pass', 'pass']],
    [{ guard: 'strict' }, ['block', 'block', 'block']],
  ])('is blocked as the guard %j says', async (options, outcomes) => {
    writeRecording(join(cwd, 'r'), EXCHANGES);
    const [checked] = await judge(['r'], {}, options);
    expect(checked?.subjects.map(({ outcome }) => outcome)).toEqual(outcomes);
  });
});

describe('a body', () => {
  beforeEach(() => writeFileSync(join(cwd, 'x.json'), '{}'));

  it.each<[JudgedAs, RegExp, RegExp]>([
    [{}, /^nothing says which operation the body x\.json is for/, /--operation.*updateProject.*--path/],
    [{ operation: 'updateX' }, /^the contract has no operation "updateX"/, /updateDraft/],
    [{ path: '/x' }, /^no operation of the contract is a PATCH of \/x/, /updateDraft/],
    [{ path: 'x' }, /^the path x does not begin with a slash/, /projects\/42/],
  ])('that is judged as %j cannot be judged', async (as, message, hint) => {
    await expect(judge(['x.json'], as)).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });
});

it.each<[file: string, body: object, taken: string]>([
  ['projects/42.json', {}, "a PATCH of /accounts/current/projects/42, by the file's name"],
  ['bodies/accounts/7/drafts/1001.json', {}, "a PATCH of /accounts/7/drafts/1001, by the file's name"],
  ['new.updateFeature.json', {}, "updateFeature, by the file's name"],
  ['updateDraft/1.json', { languages: [] }, "updateDraft, by the file's name"],
  ['a.json', { name: 'x', languages: ['nodejs'], environments: [] }, 'updateProject, by its shape'],
  ['b.json', { languages: ['GO'], environments: 1, owner: 'me' }, 'updateProject, by its shape'],
  ['c.json', { draftId: 1002, percentTraffic: 10 }, 'updateDraft, by its shape'],
])('the body %s %j is judged as %s', async (file, body, taken) => {
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  writeFileSync(join(cwd, file), JSON.stringify(body));
  const [checked] = await judge([file]);
  expect(checked?.taken).toBe(taken);
  const [, path] = /PATCH of (\S+),/.exec(taken) ?? [];
  expect(checked?.subjects[0]?.path).toBe(path);
  expect(taken).toContain(path ?? checked?.subjects[0]?.operation);
});

it('a body that may be of several operations, or of none, is not guessed', async () => {
  for (const body of ['{}', '[]', '{', '{"x":1}', '{"name":"x"}']) {
    writeFileSync(join(cwd, 'x.json'), body);
    await expect(judge(['x.json'])).rejects.toThrow('nothing says which operation the body x.json is for');
  }
});
