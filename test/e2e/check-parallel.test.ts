import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cleanUp, runBinary, temporaryFolder } from '../support/binary.ts';

afterEach(cleanUp);

test('many bytes are judged by several threads, each with the rules of the config file', async () => {
  const cwd = temporaryFolder();
  writeFileSync(
    join(cwd, 'patchgate.config.mjs'),
    'console.error("read"); export default { bodies: [{ files: "*.json", operation: "updateProject" }] };',
  );
  const files = ['1.json', '2.json', '3.json', '4.json'];
  for (const file of files) {
    writeFileSync(join(cwd, file), '');
    // The disk holds nothing of it, and no more of it is read than a body may have.
    truncateSync(join(cwd, file), 8 * 1024 * 1024);
  }
  const { code, stdout, stderr } = await runBinary(['check', ...files, '-f', 'json'], { cwd });
  expect(stderr.match(/^read$/gm)?.length).toBeGreaterThanOrEqual(3);
  expect(code).toBe(1);
  const report = JSON.parse(stdout) as { files: { file: string; subjects: object[] }[] };
  expect(report.files.map(({ file }) => file)).toEqual(files);
  for (const { subjects } of report.files)
    expect(subjects).toMatchObject([
      { operation: 'updateProject', findings: [{ rule: 'request.too-large' }] },
    ]);
});
