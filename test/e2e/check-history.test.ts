/** What was recorded is judged as what happened, in its order. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runBinary } from '../support/binary.ts';
import { GOOD_PROJECT, JSON_TYPE, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { startGate, startRecorder } from '../support/in-process.ts';
import { type RawRequest, sendRaw } from '../support/raw.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const [production, staging, development] = GOOD_PROJECT.environments as [object, object, object];

function patch(environments: object[], path = PROJECT_PATH): RawRequest {
  const body = JSON.stringify({ ...GOOD_PROJECT, environments });
  return { method: 'PATCH', path, headers: [JSON_TYPE], body };
}

it('a recorded accident is found, and only there', async () => {
  const cwd = temporaryFolder();
  const seed = { accounts: { current: { projects: { 42: GOOD_PROJECT, 43: GOOD_PROJECT } } } };
  writeFileSync(join(cwd, 'seed.json'), JSON.stringify(seed));
  const fake = await startGate({ seed: join(cwd, 'seed.json') }, 'fake');
  const record = async (recording: string, requests: RawRequest[]) => {
    const { port, gate } = await startRecorder(cwd, fake.url, { guard: 'off', recording });
    for (const request of requests) await sendRaw(port, request);
    await gate.close();
  };
  await record('accident', [
    { path: PROJECT_PATH },
    patch([production, staging, development]),
    patch([{ ...production, id: 11 }, staging]),
    patch([{ ...production, id: 11 }, staging]),
  ]);
  await record('harmless', [patch([production], PROJECT_PATH.replace('42', '43'))]);

  const { code, stdout } = await runBinary(['check', 'recordings', '--guard', '--format', 'json'], { cwd });
  expect(code).toBe(1);
  const { files } = JSON.parse(stdout) as { files: { file: string; subjects: { effects?: object[] }[] }[] };
  const effectsIn = (recording: string) =>
    files.flatMap(({ file, subjects }) =>
      file.startsWith(`recordings/${recording}/`) ? subjects.map(({ effects }) => effects) : [],
    );
  expect(effectsIn('accident')).toEqual([
    undefined,
    expect.arrayContaining([
      expect.objectContaining({ kind: 'environment-replaced', id: 1, name: 'Production', newId: 11 }),
      expect.objectContaining({ kind: 'environment-deleted', id: 3, name: 'Development' }),
    ]),
    undefined,
  ]);
  expect(effectsIn('harmless')).toEqual([undefined]);

  const known = ['check', 'recordings/harmless', '--state', 'seed.json'];
  const warned = await runHere(known, { cwd });
  expect(warned).toMatchObject({ code: 0, stdout: expect.stringContaining('0 errors, 2 warnings') });
  expect((await runHere([...known, '--guard', '--allow-delete', 'Staging,Dev*'], { cwd })).code).toBe(0);
});
