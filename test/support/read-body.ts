import { type ReadBody, readBody } from '../../src/contract/read-body.ts';
import { brief } from './gate.ts';

export const JSON_TYPE = ['Content-Type', 'application/json'];
export const BODY_LIMIT = 5 * 1024 * 1024;

export interface ReadParts {
  headers?: readonly string[];
  limit?: number;
  isOpen?: (path: readonly (string | number)[]) => boolean;
}

/** Reads a body with everything that a test does not care about filled in. */
export function read(body: string | Uint8Array, parts: ReadParts = {}): ReadBody {
  const { headers = JSON_TYPE, limit = BODY_LIMIT, isOpen = () => false } = parts;
  return readBody(typeof body === 'string' ? Buffer.from(body) : body, headers, limit, isOpen);
}

/** `request.json error`: what is found. */
export function found(body: string | Uint8Array, parts?: ReadParts): string[] {
  return brief(read(body, parts).findings);
}
