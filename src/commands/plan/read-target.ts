import { Client } from 'undici';
import { PatchgateError, systemCode } from '../../errors.ts';
import { recordOf } from '../../guard/read-record.ts';
import { readTargetTls } from '../../http/tls.ts';
import type { Known, RecordName } from '../../model/record.ts';
import type { Config } from '../../settings/config.ts';
import { wholeRecord } from '../../state/known.ts';
import { outgoingPath } from '../../upstreams/outgoing.ts';
import { parseTarget, type Target, targetError } from '../../upstreams/target.ts';

/** Bytes of an answer that are read at most, as sent. */
const MOST = 5 * 1024 * 1024;

export type TargetSettings = Pick<Config, 'timeout' | 'targetCa' | 'targetInsecure'>;

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
  const target = parseTarget(text);
  const whole = outgoingPath(target.path, path);
  const answer = await get(target, whole, headers, settings);
  const asked = `GET ${target.origin}${whole}`;
  const { status } = answer;
  if (status < 200 || status > 299 || status === 206) {
    const hint =
      status >= 300 && status < 400
        ? 'redirects are not followed: give the address that answers itself'
        : HINTS[status];
    throw new PatchgateError('cannot-read', `${asked} was answered with the status ${status}`, {
      ...(hint !== undefined && { hint }),
    });
  }
  const reading = await recordOf(name, answer, answer.bytes);
  if ('shown' in reading) return wholeRecord(name.kind, reading.shown.record);
  throw new PatchgateError('cannot-read', `${asked} was answered with ${status}, but ${reading.why}`, {
    hint: 'it must show name, languages and environments with their ids and names; is the base URL right?',
  });
}

const HINTS: Readonly<Record<number, string>> = {
  401: "it asks for credentials: --header 'Authorization: Bearer …'",
  403: "it asks for other credentials: --header 'Authorization: Bearer …'",
  404: 'is the project there, in that account (--account), and is the base URL right?',
};

async function get(
  target: Target,
  path: string,
  headers: readonly string[],
  { timeout, ...settings }: TargetSettings,
) {
  const tls = await readTargetTls(target, settings);
  const client = new Client(target.origin, {
    connect: { timeout, ...tls },
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: MOST,
  });
  try {
    const answer = await client.request({
      method: 'GET',
      path,
      headers: ['accept', 'application/json', 'accept-encoding', 'identity', ...headers],
    });
    const raw = Object.entries(answer.headers).flatMap(([name, values = []]) =>
      [values].flat().flatMap((value) => [name, value]),
    );
    return { status: answer.statusCode, headers: raw, bytes: Buffer.from(await answer.body.arrayBuffer()) };
  } catch (error) {
    if (systemCode(error) !== 'UND_ERR_RES_EXCEEDED_MAX_SIZE') throw targetError(target, error, timeout);
    throw new PatchgateError(
      'cannot-read',
      `the answer of ${target.origin} to GET ${path} has more than 5 MiB`,
      {
        hint: 'it must show one project; is the base URL right?',
        cause: error,
      },
    );
  } finally {
    await client.destroy();
  }
}
