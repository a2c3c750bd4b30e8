import type { RecordedRequest, StoredHeaders } from '../../model/exchange.ts';
import type { JsonValue } from '../../model/json.ts';
import { withoutMeant } from '../../model/pointer-pattern.ts';
import { decodePart } from '../redaction/decode-part.ts';
import { redactHeader } from '../redaction/redact.ts';
import type { MatchRules } from './match-rules.ts';
import { normalize } from './normalize.ts';
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
  if (rules.isPlain) return plainForm(request, NO_HEADERS);
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

function changedForm(request: RecordedRequest, rules: MatchRules): RequestForm {
  let form = plainForm(request, namedHeaders(request.headers, rules));
  if (rules.normalize) {
    const shown = shownHeaders(request.headers, rules);
    const own = normalize(form, shown, rules.normalize, rules.redaction);
    const headers = namedHeaders(own.headers, rules);
    form = new RequestForm({ ...own.form.parts, headers }, { value: own.form.json });
  }
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
