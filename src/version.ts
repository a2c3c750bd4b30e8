import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The package's folder, with a slash at its end; the same from `src/` and from the bundle in `dist/`. */
export const PACKAGE_FOLDER = fileURLToPath(new URL('../', import.meta.url));

/** The package's version: `0.2.0`. Read when asked for. */
export function version(): string {
  return (JSON.parse(readFileSync(`${PACKAGE_FOLDER}package.json`, 'utf8')) as { version: string }).version;
}
