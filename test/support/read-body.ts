import { type ReadBody, readBody } from '../../src/contract/read-body.ts';
import type { Shape } from '../../src/contract/schema-shape.ts';
import { brief } from './gate.ts';

export const JSON_TYPE = ['Content-Type', 'application/json'];
export const BODY_LIMIT = 5 * 1024 * 1024;

export interface ReadParts {
  headers?: readonly string[];
  limit?: number;
  isOpen?: IsOpen;
}

type IsOpen = (path: readonly (string | number)[]) => boolean;

function shapeBy(isOpen: IsOpen, path: readonly (string | number)[] = []): Shape {
  return { isOpen: isOpen(path), below: (token) => shapeBy(isOpen, [...path, token]) };
}

/** Reads a body, or `too-large`, with everything that a test does not care about filled in. */
export function read(body: string | Uint8Array, parts: ReadParts = {}): ReadBody {
  const { headers = JSON_TYPE, limit = BODY_LIMIT, isOpen = () => false } = parts;
  const bytes =
    typeof body === 'string' && body !== 'too-large' ? Buffer.from(body) : (body as Uint8Array | 'too-large');
  return readBody(bytes, headers, limit, shapeBy(isOpen));
}

/** `request.json error`: what is found. */
export function found(body: string | Uint8Array, parts?: ReadParts): string[] {
  return brief(read(body, parts).findings);
}
