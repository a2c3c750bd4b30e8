import { hash } from 'node:crypto';

/**
 * Bodies in files of their own: `<METHOD>~<hash>.<extension>`, beside the file of their exchange. The hash of the bytes in
 * the name makes the same body the same file, and lets a request be compared without reading it.
 */

/** Of what a browser or an archiver can open; anything else is `.bin`. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/x-icon': 'ico',
  'image/vnd.microsoft.icon': 'ico',
  'font/woff': 'woff',
  'font/woff2': 'woff2',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'application/x-gzip': 'gz',
  'application/x-tar': 'tar',
  'application/zstd': 'zst',
  'application/wasm': 'wasm',
  'audio/mpeg': 'mp3',
  'video/mp4': 'mp4',
};

/** Of a body that is text. */
export const TEXT_ENDING = '.txt';

const NAME = /^[A-Za-z0-9+~%-]+~([0-9a-f]{32})\.[a-z0-9]+$/;

/** @param method as it stands in the name of the exchange's file: `PATCH` */
export function bodyFileName(
  method: string,
  bytes: Buffer,
  contentType: string | undefined,
  isText = false,
): string {
  const type = /^[^;\s]*/.exec(contentType ?? '')?.[0].toLowerCase() ?? '';
  const ending = `.${Object.hasOwn(EXTENSIONS, type) ? EXTENSIONS[type] : 'bin'}`;
  return `${method}~${bodyHash(bytes)}${isText ? TEXT_ENDING : ending}`;
}

/** Undefined where it is no name of a body's file. */
export function hashInName(name: string): string | undefined {
  return NAME.exec(name)?.[1];
}

export function bodyHash(bytes: Buffer): string {
  return hash('sha256', bytes, 'hex').slice(0, 32);
}
