import { Readable } from 'node:stream';
import { PatchgateError } from '../../errors.ts';
import { recordOf } from '../../guard/reader.ts';
import type { Known, RecordName } from '../../model/record.ts';
import { ask } from '../../upstreams/ask.ts';
import { openForward, type TargetSettings } from '../../upstreams/open-forward.ts';
import { outgoingPath } from '../../upstreams/outgoing.ts';
import { parseTarget } from '../../upstreams/target.ts';

/** Bytes of an answer that are read at most, as sent. */
const MOST = 5 * 1024 * 1024;

/**
 * Reads a record from a service by one GET; nothing else is sent, and no redirect is followed.
 *
 * @param text the service's base URL
 * @param headers name, value, name, value, …
 * @param path of the record, relative to that
 * @throws PatchgateError `cannot-read` where what comes is no whole record; `target-unreachable`, `target-timeout`,
 *   `bad-usage`, `bad-input`
 */
export async function readTarget(
  text: string,
  headers: readonly string[],
  name: RecordName,
  path: string,
  settings: TargetSettings,
): Promise<Known> {
  const { timeout } = settings;
  const target = parseTarget(text);
  const upstream = await openForward(target, settings, process.env);
  const request = {
    method: 'GET',
    url: path,
    headers: ['accept', 'application/json', 'accept-encoding', 'identity', ...headers],
    body: Buffer.alloc(0),
    json: undefined,
    stream: Readable.from([]),
    session: { id: 0, name: '' },
  };
  const { signal } = new AbortController();
  const patience = { limit: MOST, silence: timeout, longest: 0, signal };
  const answer = await ask(upstream, request, patience).finally(() => upstream.close());
  if (!answer || 'late' in answer) {
    throw new PatchgateError('target-timeout', `the answer of ${target.origin} stopped half way`, {
      hint: '--timeout gives it longer',
    });
  }
  if ('failure' in answer) throw answer.failure;
  const asked = `GET ${target.origin}${outgoingPath(target.path, path)}`;
  const { head, body } = answer;
  if (head.status < 200 || head.status > 299 || head.status === 206) {
    const isRedirect = head.status >= 300 && head.status < 400;
    const hint = isRedirect ? NO_REDIRECT : HINTS[head.status];
    throw new PatchgateError('cannot-read', `${asked} was answered with the status ${head.status}`, {
      ...(hint !== undefined && { hint }),
    });
  }
  if (body.omitted !== undefined) {
    throw new PatchgateError('cannot-read', `the answer to ${asked} has more than 5 MiB`, {
      hint: 'it must show one project; is the base URL right?',
    });
  }
  const reading = await recordOf(name, head, body.bytes);
  if ('record' in reading) return { record: reading.record, isWhole: true };
  throw new PatchgateError('cannot-read', `${asked} was answered with ${head.status}, but ${reading.why}`, {
    hint: 'it must show name, languages and environments with their ids and names; is the base URL right?',
  });
}

const NO_REDIRECT = 'redirects are not followed: give the address that answers itself';
const HINTS: Readonly<Record<number, string>> = {
  401: "it asks for credentials: --header 'Authorization: Bearer …'",
  403: "it asks for other credentials: --header 'Authorization: Bearer …'",
  404: 'is the project there, in that account (--account), and is the base URL right?',
};
