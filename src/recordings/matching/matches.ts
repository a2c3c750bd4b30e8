import type { RecordedRequest } from '../../model/exchange.ts';
import { bodyBytes } from '../body.ts';
import { hashInName, hashOf } from '../body-file.ts';
import { REDACTED } from '../redaction/redacted.ts';
import { formOf } from './form-of.ts';
import { holdsPlaceholder } from './placeholder.ts';
import { queryValues } from './query.ts';
import type { FormHeader, RequestForm } from './request-form.ts';
import { sameJson } from './same-json.ts';
import { sameBodyText, sameText } from './same-text.ts';
import type { SentRequest } from './sent-request.ts';

/**
 * Whether a request is the recorded one of the same method and path, whose placeholders stand for any value. Ends at the
 * first difference: of what was sent no more is looked at than was recorded.
 *
 * @throws PatchgateError `bad-config` where the config's own function fails
 */
export function matches(recorded: RecordedRequest, sent: SentRequest): boolean {
  const before = formOf(recorded, sent.rules);
  const { method, path, query, headers } = before.parts;
  const now = sent.form.parts;
  return (
    method === now.method &&
    path === now.path &&
    sameQuery(query, sent) &&
    sameHeaders(headers, now.headers) &&
    sameBody(before, sent)
  );
}

function sameQuery(recorded: string, sent: SentRequest): boolean {
  if (recorded === sent.form.parts.query) return true;
  const before = queryValues(recorded);
  const now = sent.queryValues;
  if (before.size !== now.size) return false;
  for (const [name, values] of before) if (!sameValues(values, now.get(name) ?? [])) return false;
  return true;
}

/** Of one name of a query. */
export function sameValues(recorded: readonly string[], sent: readonly string[]): boolean {
  return recorded.length === sent.length && recorded.every((value, i) => sameText(value, sent[i] as string));
}

function sameHeaders(recorded: readonly FormHeader[], sent: readonly FormHeader[]): boolean {
  return (
    recorded.length === sent.length &&
    recorded.every(([name, value], i) => {
      const [nameSent, valueSent] = sent[i] as FormHeader;
      return name === nameSent && sameText(value, valueSent);
    })
  );
}

function sameBody(recorded: RequestForm, sent: SentRequest): boolean {
  const { body } = recorded.parts;
  if (body === undefined || sent.form.parts.body === undefined) return body === sent.form.parts.body;
  const now = sent.form.json;
  const before = now === undefined ? undefined : recorded.json;
  if (before !== undefined && now !== undefined) return sameJson(before, now, sent, sent.rules.sets);
  return sameStored(recorded, sent);
}

/** Of bodies, of which there are two, and which are not both JSON. */
export function sameStored(recorded: RequestForm, sent: SentRequest): boolean {
  const { body } = recorded.parts;
  if (body === undefined || 'omitted' in body) return false;
  if ('file' in body) return hashInName(body.file) === hashOf(sent.bytes);
  // All of it was secret, whatever it was.
  if (('json' in body && body.json === REDACTED) || ('text' in body && body.text === REDACTED)) return true;
  const bytes = bodyBytes(body);
  if (bytes.equals(sent.bytes)) return true;
  // Only a placeholder can be what redaction makes of a body.
  if (!holdsPlaceholder(bytes)) return false;
  // Recording hides more: what another part of the exchange showed to be a secret.
  return (
    bytes.equals(sent.cleanBytes) || ('text' in body && sameBodyText(body.text, sent.cleanBytes.toString()))
  );
}
