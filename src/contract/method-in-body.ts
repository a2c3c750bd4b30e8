import type { RawHeaders } from '../http/http.ts';
import { member } from '../json/json.ts';
import { readBody } from './read-body.ts';
import { OPEN } from './schema-shape.ts';

const MEMBER = '_method';

/**
 * Whether a server that looks for a method in a JSON body (Laravel does, of a POST) could find one there. A body that
 * cannot be read, or in two ways, may hold anything.
 *
 * @param limit bytes that the body may have
 */
export function mayNameMethod(body: Uint8Array | 'too-large', headers: RawHeaders, limit: number): boolean {
  if (body.length === 0) return false;
  const { json, findings } = readBody(body, headers, { limit, shape: OPEN, blocks: () => false });
  if (json === undefined || findings.some(({ pointer }) => pointer === `/${MEMBER}`)) return true;
  const method = member(json, MEMBER);
  return typeof method === 'string' && /patch/i.test(method);
}
