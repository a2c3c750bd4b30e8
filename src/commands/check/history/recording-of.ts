import { resolve, sep } from 'node:path';
import type { Exchange } from '../../../model/exchange.ts';
import { locationOf } from '../../../recordings/store/location.ts';

/**
 * The folder of the recording that a file belongs to: the one below which it lies where the recording keeps its exchanges.
 * Undefined where it lies elsewhere, or holds exchanges of several methods or paths: it was moved, or written by hand.
 */
export function recordingOf(file: string, exchanges: readonly Exchange[], cwd: string): string | undefined {
  const [first] = exchanges;
  if (!first) return undefined;
  const { method, path } = first.request;
  if (exchanges.some(({ request }) => request.method !== method || request.path !== path)) return undefined;
  return folderAbove(resolve(cwd, file), method, path);
}

/** The same by the method and path of its exchanges. @param file absolute */
export function folderAbove(file: string, method: string, path: string): string | undefined {
  const end = `/${locationOf(method, path)}`;
  return file.replaceAll(sep, '/').endsWith(end) ? file.slice(0, -end.length) : undefined;
}
