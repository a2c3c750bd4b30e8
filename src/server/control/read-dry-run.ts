import { messageOf, PatchgateError } from '../../errors.ts';
import type { GateRequest } from '../../gate/gate.ts';
import { REQUEST_MEMBERS, readDescribedRequest } from '../../http/described-request.ts';
import { isObject, type JsonValue } from '../../json/json.ts';
import { scanJson, UNLIMITED } from '../../json/scan-json.ts';

const EXAMPLE =
  'send {"method": "PATCH", "url": "/api/v2/…", "headers": {"content-type": "application/json"}, "body": "{…}"}, the body as exact text';

/**
 * The request that `POST validate` describes. Nothing is added to it.
 *
 * @param bytes the JSON text, as `express.raw` leaves it: nothing where there was no body
 * @param bodyLimit a longer body is `too-large`, as it is on the data path
 * @throws PatchgateError `bad-input`, naming the member
 */
export function readDryRun(bytes: unknown, bodyLimit: number): GateRequest {
  const bad = (message: string) => new PatchgateError('bad-input', message, { hint: EXAMPLE });
  const input = readJson(bytes, EXAMPLE);
  if (!isObject(input)) throw bad('the input is not a JSON object');
  const unknown = Object.keys(input).find((name) => !REQUEST_MEMBERS.includes(name));
  if (unknown !== undefined)
    throw bad(`the input has an unknown member ${JSON.stringify(unknown.slice(0, 100))}`);
  const { method, url, headers, body } = readDescribedRequest(input, (pointer, what) =>
    bad(`${pointer} ${what}`.trim()),
  );
  return { method, url, headers, body: body.length > bodyLimit ? 'too-large' : body };
}

/** The value of a request's body. @param bytes what `express.raw` leaves: nothing where there was no body
 *  @throws PatchgateError `bad-input`, also where a name is given twice: JSON.parse would take the last one */
export function readJson(bytes: unknown, hint: string): JsonValue {
  let text: string;
  let value: JsonValue;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.isBuffer(bytes) ? bytes : undefined);
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    const message = `the input is not a JSON text: ${messageOf(error).slice(0, 200)}`;
    throw new PatchgateError('bad-input', message, { hint });
  }
  scanJson(text, UNLIMITED, ({ kind, what }) => {
    if (kind !== 'duplicate-key') return;
    const message = `the input has the member ${JSON.stringify(what.slice(0, 100))} twice in one object`;
    throw new PatchgateError('bad-input', message, { hint });
  });
  return value;
}
