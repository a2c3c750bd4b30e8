/** Tests that forget to close their gates. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { packed, runProgram } from '../support/binary.ts';
import { PROJECT_PATH } from '../support/exchanges.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LIBRARY = pathToFileURL(packed('dist/testing.js')).href;

it('end all the same, and keep what was recorded', async () => {
  const cwd = temporaryFolder();
  const script = `
    import { Agent, get } from 'node:http';
    import { startFake, startProxy } from ${JSON.stringify(LIBRARY)};
    const service = await startFake();
    const gate = await startProxy({ recording: 'demo', record: 'all', target: service.url });
    const agent = new Agent({ keepAlive: true });
    await new Promise((resolve) => get(gate.url + '${PROJECT_PATH}', { agent }, (answer) => answer.resume().on('end', resolve)));
  `;
  writeFileSync(join(cwd, 'recording.mjs'), script);
  const recorded = await runProgram(process.execPath, ['recording.mjs'], { cwd });
  expect(recorded.stderr).toContain('patchgate: no test has closed 2 gates: await gate.close()');
  expect(recorded.code).toBe(0);
  expect(existsSync(join(cwd, `recordings/demo${PROJECT_PATH}/GET.json`))).toBe(true);
});
