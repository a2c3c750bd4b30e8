import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { openStore } from '../../../src/recordings/open-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, 'r', 'x'), { recursive: true });
  file = join(folder, 'r', 'x', 'GET.json');
});

async function refusal(): Promise<string> {
  const store = await openStore(folder, 'r');
  try {
    const error = await store.find('GET', '/x').then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error).toMatchObject({ code: 'cannot-read' });
    return (error as Error).message;
  } finally {
    await store.close();
  }
}

it('what is no file is refused by its name', async () => {
  mkdirSync(file);
  expect(await refusal()).toBe(`cannot read ${file}: it is no file`);
});

it('a link to itself is refused by its name', async () => {
  symlinkSync(file, file);
  expect(await refusal()).toContain(`cannot read ${file}: ELOOP`);
});

it.skipIf(process.platform === 'win32')('a pipe is not waited for', async () => {
  execFileSync('mkfifo', [file]);
  expect(await refusal()).toBe(`cannot read ${file}: it is no file`);
});

it('what is broken and longer than any text is refused by its name', async () => {
  writeFileSync(file, '');
  truncateSync(file, 600 * 1024 * 1024);
  expect(await refusal()).toContain(`cannot read ${file}: with 629145600 bytes it is too long`);
});
