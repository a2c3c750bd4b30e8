import type { JsonValue } from '../../json/json.ts';
import { withoutMeant } from '../../json/pointer-pattern.ts';
import { isInline, type RecordedRequest, type StoredHeaders } from '../../model/exchange.ts';
import { bodyBytes, storeBody } from '../body.ts';
import { withOneBoundary, withPartsInOrder } from '../multipart-boundary.ts';
import { decodePart } from '../redaction/decode-part.ts';
import { contentTypeOf, redactHeader } from '../redaction/redact.ts';
import { isForm } from '../redaction/redact-bytes.ts';
import { isMultipart } from '../redaction/redact-multipart.ts';
import type { MatchRules } from './match-rules.ts';
import { normalize } from './normalize.ts';
import { queryValues } from './query.ts';
import { type FormHeader, RequestForm } from './request-form.ts';

const NO_HEADERS: readonly FormHeader[] = [];

/** By rules and request: a recorded one is compared more than once. */
const forms = new WeakMap<MatchRules, WeakMap<RecordedRequest, RequestForm>>();

/**
 * What is compared of a request, recorded or sent.
 *
 * @throws PatchgateError `bad-config` where the config's own function fails
 */
export function formOf(request: RecordedRequest, rules: MatchRules): RequestForm {
  if (rules.isPlain) return plainForm(ofOneBoundary(request), NO_HEADERS);
  let known = forms.get(rules);
  if (known === undefined) {
    known = new WeakMap();
    forms.set(rules, known);
  }
  let form = known.get(request);
  if (form === undefined) {
    form = changedForm(request, rules);
    known.set(request, form);
  }
  return form;
}

function plainForm(
  { method, path, query, body }: RecordedRequest,
  headers: readonly FormHeader[],
): RequestForm {
  return new RequestForm({ method, path, query, headers, body });
}

/** One that was recorded before boundaries were, or by hand. */
function ofOneBoundary(request: RecordedRequest): RecordedRequest {
  const { headers, body } = request;
  if (body === undefined || !('text' in body || 'base64' in body)) return request;
  const form = withOneBoundary(contentTypeOf(headers), bodyBytes(body));
  if (!form) return request;
  const stored = storeBody(form.body, form.contentType);
  return {
    ...request,
    headers: { ...headers, 'content-type': form.contentType },
    ...(stored && { body: stored }),
  };
}

/** A form as an object of its fields, so that their order does not matter; one of parts with these in order. */
function formAsSet(form: RequestForm, contentType: string | undefined): RequestForm {
  const { body } = form.parts;
  if (!isInline(body) || body === undefined || 'json' in body) return form;
  if (isMultipart(contentType)) {
    // Whatever its parts are in: one character is one byte.
    const text = withPartsInOrder(bodyBytes(body).toString('latin1'));
    return new RequestForm({ ...form.parts, body: storeBody(Buffer.from(text, 'latin1'), contentType) });
  }
  if (!isForm(contentType) || !('text' in body)) return form;
  const fields = [...queryValues(body.text)].map(([name, values]): [string, JsonValue] => [
    name,
    values.length === 1 ? (values[0] as string) : values,
  ]);
  const value = Object.fromEntries(fields);
  return new RequestForm({ ...form.parts, body: { json: value } }, { value });
}

function changedForm(sent: RecordedRequest, rules: MatchRules): RequestForm {
  const request = ofOneBoundary(sent);
  let form = plainForm(request, namedHeaders(request.headers, rules));
  if (rules.normalize) {
    const shown = shownHeaders(request.headers, rules);
    const own = normalize(form, shown, rules.normalize, rules.redaction);
    const headers = namedHeaders(own.headers, rules);
    form = new RequestForm({ ...own.form.parts, headers }, { value: own.form.json });
  }
  if (rules.formsAsSets) form = formAsSet(form, contentTypeOf(request.headers));
  const { ignored } = rules;
  const parts = { ...form.parts, query: withoutNames(form.parts.query, rules.ignoredQuery) };
  if (ignored?.isMeant) return new RequestForm({ ...parts, body: undefined });
  const before = form.json;
  if (ignored === undefined || before === undefined) return new RequestForm(parts, { value: before });
  const value = withoutMeant(before, ignored) as JsonValue;
  return new RequestForm(value === before ? parts : { ...parts, body: { json: value } }, { value });
}

/** The same of a value that was kept and of one that is sent: both are redacted. */
function namedHeaders(headers: StoredHeaders, rules: MatchRules): readonly FormHeader[] {
  const named: FormHeader[] = [];
  for (const name of rules.headers) {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (value === undefined) continue;
    const values = typeof value === 'string' ? [value] : value;
    named.push([name, values.map((one) => redactHeader(name, one, rules.redaction)).join(', ')]);
  }
  return named;
}

function shownHeaders(headers: StoredHeaders, { redaction }: MatchRules): StoredHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? redactHeader(name, value, redaction)
        : value.map((one) => redactHeader(name, one, redaction)),
    ]),
  );
}

function withoutNames(query: string, names: ReadonlySet<string>): string {
  if (names.size === 0 || query === '') return query;
  const kept = query.split('&').filter((part) => !names.has(decodePart(part.split('=', 1)[0] as string)));
  return kept.join('&');
}
