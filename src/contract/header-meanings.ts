import {
  byHeaderName,
  looseHeaderName,
  METHOD_OVERRIDES,
  PATH_OVERRIDES,
  type RawHeaders,
  type RequestHead,
} from '../http/http.ts';
import type { Finding } from '../model/finding.ts';
import { requestFinding } from './request-rules.ts';

/** What the headers of a request could mean beside their own sense, read as the loosest server would. */
export interface HeaderMeanings {
  /** Methods that they could turn the request into, in capitals. */
  methods: ReadonlySet<string>;
  /** Whether its body is JSON in which some servers look for a method. */
  isJsonPost: boolean;
  /** As sent: paths or URLs. Proxies set the ordinary ones to tell where a request was sent at first; no server is known to route by them. */
  paths: readonly { value: string; finding: Finding; isOrdinary: boolean }[];
  findings: readonly Finding[];
}

export type OtherPath = HeaderMeanings['paths'][number];

type Meaning = 'none' | 'method' | 'path' | 'ordinary-path' | 'type' | 'coding' | 'body';

/** Not X-Forwarded-Prefix and X-Envoy-Original-Path: they come with every request of some load balancers. */
const ORDINARY = ['x-original-uri', 'x-original-path', 'x-rewrite-uri', 'x-rewrite-path', 'x-forwarded-uri'];

const MEANINGS = new Map<string, Meaning>([
  ...METHOD_OVERRIDES.map((name) => [name, 'method'] as const),
  ...PATH_OVERRIDES.map((name) => [name, 'path'] as const),
  ...[...ORDINARY, 'x-forwarded-path'].map((name) => [name, 'ordinary-path'] as const),
  ['content-type', 'type'],
  ['content-encoding', 'coding'],
  ['content-length', 'body'],
  ['transfer-encoding', 'body'],
]);

const meaningOf = byHeaderName((name): Meaning => MEANINGS.get(looseHeaderName(name)) ?? 'none');

/** Frameworks look for `_method` in forms as well. What they find there is not read: no operation takes a form. */
const FORM = /application\/x-www-form-urlencoded|multipart\//i;
/** A value that names no type, as it would be without the header. */
const NO_TYPE = /^\s*(?:[;,]|$)/;
const JSON_LIKE = /[/+]json/i;
const PLAIN_TYPE = /^application\/(?:[\w.-]+\+)?json(?:; ?charset=utf-8)?$/i;

const NONE: HeaderMeanings = { methods: new Set(), isJsonPost: false, paths: [], findings: [] };
const JSON_POST: HeaderMeanings = { ...NONE, isJsonPost: true };

/** @param query the request's, where some servers look for a method as well */
export function meaningsOf({ headers, method }: RequestHead, query: string): HeaderMeanings {
  const fromQuery = /method|%/i.test(query) ? methodsInQuery(query) : [];
  if (fromQuery.length === 0 && arePlain(headers, method)) return method === 'POST' ? JSON_POST : NONE;
  const named = headers.flatMap((name, i) =>
    i % 2 === 0 ? [{ name, value: headers[i + 1] ?? '', meaning: meaningOf(name) }] : [],
  );
  const having = (...meanings: Meaning[]) => named.filter(({ meaning }) => meanings.includes(meaning));
  const types = having('type');
  const isTyped = types.some(({ name, value }) => isLiteral(name) && !NO_TYPE.test(value));
  const hasBody = having('body').some(({ value }) => value !== '0');
  // Without a type, a posted body is a form to some (Rack).
  const isForm = hasBody && (types.some(({ value }) => FORM.test(value)) || (!isTyped && method === 'POST'));
  const isJsonPost = method === 'POST' && types.some(({ value }) => JSON_LIKE.test(value));
  const fromHeaders = having('method').flatMap(({ value }) => value.split(',').map(wordOf));
  const methods = new Set([...fromQuery, ...fromHeaders, ...(isForm ? ['PATCH'] : [])]);

  const paths = having('path', 'ordinary-path').map(({ name, value, meaning }) => {
    const message = `the header ${name} can give the request another path`;
    const finding = requestFinding('request.ambiguous-path', message, { hint: 'leave it out' });
    return { value, finding, isOrdinary: meaning === 'ordinary-path' };
  });
  const findings = paths.filter(({ isOrdinary }) => !isOrdinary).map(({ finding }) => finding);
  const folded = having('type', 'coding').find(({ name }) => !isLiteral(name))?.name;
  if (folded !== undefined) {
    const message = `some servers read the header ${folded} as ${looseHeaderName(folded)}`;
    const hint = 'leave it out, or write its name with -';
    findings.push(requestFinding('request.ambiguous-header', message, { hint }));
  } else if (types.length > 1) {
    const message = 'Content-Type is given more than once';
    findings.push(requestFinding('request.ambiguous-header', message, { hint: 'give it once' }));
  }
  if (hasBody && !isTyped && method !== 'PATCH' && methods.size + paths.length + findings.length > 0) {
    const message = `what comes with ${method} and has no Content-Type may be read as a form`;
    const hint = 'send Content-Type: application/json';
    findings.push(requestFinding('request.content-type', message, { hint }));
  }
  return { methods, isJsonPost, paths, findings };
}

/** Most requests have one type at most, plain JSON, and no header that could mean something else. */
function arePlain(headers: RawHeaders, method: string): boolean {
  let types = 0;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    const meaning = meaningOf(name);
    if (meaning === 'none' || meaning === 'body' || (meaning === 'coding' && isLiteral(name))) continue;
    const isPlain = meaning === 'type' && isLiteral(name) && PLAIN_TYPE.test(headers[i + 1] as string);
    if (!isPlain || ++types > 1) return false;
  }
  return types === 1 || method !== 'POST';
}

/** Some servers read `Content_Type` as this header, and others do not. */
const isLiteral = (name: string) => name[7] === '-';

/** `_method`; `method`; `_HttpMethod` and `$httpMethod`, as some services have it; Plack's; and the headers' names. */
const IN_QUERY = /^(?:_method|method_*$|[_$]httpmethod|x_http_method|x_method_override|x_tunneled_method)/;

function methodsInQuery(query: string): string[] {
  const methods: string[] = [];
  for (const [name, value] of new URLSearchParams(query.replaceAll(';', '&'))) {
    // PHP reads `.`, `[` and spaces in names as `_`, and drops leading spaces. Like a header's, `-` is `_`.
    const read = printable(name).replace(/^[\s?]+/, '');
    if (IN_QUERY.test(read.replace(/[. [\]-]/g, '_').toLowerCase())) methods.push(wordOf(value));
  }
  return methods;
}

/** The method that a value begins with, in capitals, whatever stands around it. */
const wordOf = (value: string) => (/[a-z]+/i.exec(printable(value))?.[0] ?? '').toUpperCase();

function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it removes these
  return text.replace(/[\u0000-\u001f\u007f]/g, '');
}
