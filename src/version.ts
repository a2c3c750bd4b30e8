import { readFileSync } from 'node:fs';

/** The package's version: `0.1.0`. Read when asked for; the same from `src/` and from the bundle in `dist/`. */
export function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
