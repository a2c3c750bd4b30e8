/** The page of the commands is their help. */
import { it } from 'vitest';
import { expectGenerated } from '../support/generated-page.ts';
import { runHere } from '../support/run-here.ts';

const COMMANDS = ['proxy', 'replay', 'fake', 'exec', 'check', 'plan', 'config', 'demo'];
const RECORDINGS = ['list', 'show', 'scrub', 'prune', 'import', 'export'];
const APPROVALS = ['list', 'approve', 'decline'];

it('has the help of every command', async () => {
  const parts: string[] = [];
  for (const command of [
    ...COMMANDS,
    ...RECORDINGS.map((name) => `recordings ${name}`),
    ...APPROVALS.map((name) => `approvals ${name}`),
  ]) {
    const { stdout } = await runHere([...command.split(' '), '--help']);
    parts.push(`## ${command}\n\n\`\`\`text\n${stdout.trim()}\n\`\`\``);
  }
  await expectGenerated('docs/reference/cli.md', `\n${parts.join('\n\n')}\n`);
});
