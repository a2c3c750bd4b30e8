/** What the page on the guard prints of approvals. Its other parts are walked. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, startBinary } from '../support/binary.ts';
import { runHere } from '../support/run-here.ts';

const PAGE = readFileSync(join(ROOT, 'docs/guard.md'), 'utf8');

/** The blocks of a language below a heading; `""`: those that say none. */
function blocksBelow(heading: string, language: string): string[] {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const blocks = [...section.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  return blocks.filter((block) => block[1] === language).map((block) => block[2] as string);
}

const fileOf = (name: string) =>
  new RegExp(`^cat > ${name}\\.json <<'EOF'\\n(.*?)^EOF$`, 'ms').exec(PAGE)?.[1] as string;

/** A gate as the page has it, whose project is as the page leaves it before it asks two people. */
async function startGate() {
  const fake = await startBinary(['fake']);
  const gate = await startBinary(['proxy', fake.url, '--read-state', '--no-state']);
  const patch = (at: string, body: string) =>
    fetch(`${at}/api/v2/accounts/current/projects/42`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
  await patch(fake.url, fileOf('typo'));
  const ask = async (body: string) =>
    ((await (await patch(gate.url, body)).json()) as { approval: string }).approval;
  return { gate, ask };
}

it('the commands list, approve and decline', async () => {
  const { gate, ask } = await startGate();
  const run = (command: string, id: string) => {
    const words = command.replace('k3f9x2ab', id).match(/"[^"]*"|\S+/g) as string[];
    expect(words.splice(0, 2)).toEqual(['npx', 'patchgate']);
    const env = { PATCHGATE_PORT: String(gate.port) };
    return runHere(
      words.map((word) => word.replaceAll('"', '')),
      { env },
    );
  };
  const alike = (text: string) => text.replace(/\b\d+[ms]\b/g, 'TIME').replace(/ +/g, ' ');
  const [list = '', decide = ''] = blocksBelow('From the terminal', 'sh');
  const id = await ask(fileOf('fewer'));
  const { stdout } = await run(list, id);
  expect(blocksBelow('From the terminal', '').map(alike)).toEqual([alike(stdout.replace(id, 'k3f9x2ab'))]);
  const [approve = '', decline = ''] = decide.trim().split('\n');
  expect(await run(approve, id)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^approved /) });
  const other = await ask(fileOf('fewer').replace('"GO"', '"JAVA"'));
  expect(await run(decline, other)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^declined /) });
});
