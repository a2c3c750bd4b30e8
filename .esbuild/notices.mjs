import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is bundled is passed on under its own licence. */
export function writeNotices({ inputs }, outdir) {
  const packages = new Set(
    Object.keys(inputs)
      .map((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1])
      .filter((name) => name !== undefined),
  );
  const notices = [...packages].sort().map((name) => {
    const folder = join('node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`;
  });
  writeFileSync(join(outdir, 'THIRD-PARTY-NOTICES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`));
}
