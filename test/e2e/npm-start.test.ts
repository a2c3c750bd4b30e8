/** The script of `package.json`: npm has a shell between itself and what it starts, and tells that shell alone of a signal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { ROOT, runEnvironment } from '../support/binary.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { freePort } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGINT'] as const)(
  'npm start leaves nothing behind on %s',
  async (signal) => {
    const port = await freePort();
    // Without `prestart`: to build anew would change what other tests run at this moment.
    const args = ['start', '--ignore-scripts', '--', '--port', `${port}`, '--recordings', temporaryFolder()];
    const npm = spawn('npm', args, {
      ...{ cwd: ROOT, env: runEnvironment({}), detached: true },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    cleanUpLater(() => {
      try {
        process.kill(-(npm.pid as number), 'SIGKILL');
      } catch {
        // Nothing of its group runs any more.
      }
    });
    let said = '';
    npm.stdout.on('data', (text) => {
      said += text;
    });
    await expect.poll(() => said).toContain('The access log:');
    const isThere = () =>
      fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        () => false,
      );
    expect(await isThere()).toBe(true);
    // Ctrl-C is for all processes of a terminal.
    if (signal === 'SIGINT') process.kill(-(npm.pid as number), signal);
    else npm.kill(signal);
    await once(npm, 'exit');
    await expect.poll(() => isThere()).toBe(false);
  },
);
