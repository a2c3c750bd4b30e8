import { closeSync, openSync, readSync } from 'node:fs';
import { parseUrl } from '../../http/url.ts';

/** Bytes of a file in which its target stands, where it has one: it is written first. */
const START = 4096;

/**
 * The default file, or where that is of another service, one beside it: what is known of one service is not known of another,
 * and several proxies may be started in one folder, one after the other or at once.
 *
 * @param file `.patchgate/state.json`
 * @returns that, or `.patchgate/state-staging.example.com-8443.json`
 */
export function fileOfTarget(file: string, target: string): string {
  const found = targetIn(file);
  if (found === undefined || parseUrl(found)?.origin === parseUrl(target)?.origin) return file;
  const host = parseUrl(target)?.host.replace(/[^\w.-]+/g, '-') ?? '';
  return file.replace(/(?=\.json$)/, `-${host}`);
}

/** Undefined where the file is not there, does not say, or is broken: that is told by who reads it. */
function targetIn(file: string): string | undefined {
  try {
    const bytes = Buffer.alloc(START);
    const fd = openSync(file, 'r');
    try {
      readSync(fd, bytes);
    } finally {
      closeSync(fd);
    }
    const text = /^\s*\{\s*"target":\s*("(?:[^"\\]|\\.)*")/.exec(bytes.toString())?.[1];
    return text === undefined ? undefined : (JSON.parse(text) as string);
  } catch {
    return undefined;
  }
}
