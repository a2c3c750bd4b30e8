import {
  byHeaderName,
  looseHeaderName,
  METHOD_OVERRIDES,
  PATH_OVERRIDES,
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
  /** Paths that they could give it. */
  paths: readonly OtherPath[];
  findings: readonly Finding[];
}

export interface OtherPath {
  /** As sent: a path or a URL. */
  value: string;
  finding: Finding;
  /** Whether proxies set such a header to tell where a request was sent at first, which no server is known to route by. */
  isOrdinary: boolean;
}

/** Headers that have such a meaning; most requests have none of them. */
const MEANINGS: Readonly<
  Record<string, 'method' | 'path' | 'ordinary-path' | 'content-type' | 'content-coding' | 'body'>
> = {
  __proto__: null as never,
  ...Object.fromEntries(METHOD_OVERRIDES.map((name) => [name, 'method' as const])),
  ...Object.fromEntries(PATH_OVERRIDES.map((name) => [name, 'path' as const])),
  // Not X-Forwarded-Prefix and X-Envoy-Original-Path: they come with every request of some load balancers.
  'x-original-uri': 'ordinary-path',
  'x-original-path': 'ordinary-path',
  'x-rewrite-uri': 'ordinary-path',
  'x-rewrite-path': 'ordinary-path',
  'x-forwarded-uri': 'ordinary-path',
  'x-forwarded-path': 'ordinary-path',
  'content-type': 'content-type',
  'content-encoding': 'content-coding',
  'content-length': 'body',
  'transfer-encoding': 'body',
};

/** Frameworks look for `_method` in forms as well. What they find there is not read: no operation takes a form. */
const FORM = /application\/x-www-form-urlencoded|multipart\//i;

/** A value that names no type, as it would be without the header. */
const NO_TYPE = /^\s*(?:[;,]|$)/;

const NO_METHODS: ReadonlySet<string> = new Set();
const NONE: HeaderMeanings = { methods: NO_METHODS, isJsonPost: false, paths: [], findings: [] };
const JSON_POST: HeaderMeanings = { ...NONE, isJsonPost: true };
const JSON_LIKE = /[/+]json/i;

/** @param query the request's, where some servers look for a method as well */
export function meaningsOf(head: RequestHead, query: string): HeaderMeanings {
  const { headers } = head;
  let found: [name: string, value: string][] | undefined;
  /** A name that only some servers read as one of these. */
  let folded: string | undefined;
  let contentTypes = 0;
  let isTyped = false;
  let isForm = false;
  let isJson = false;
  let hasBody = false;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const meaning = meaningOf(headers[i] as string);
    if (meaning === 'none') continue;
    if (meaning === 'content-type' || meaning === 'content-coding') {
      const isLiteral = hasHyphen(headers[i] as string);
      if (!isLiteral) folded ??= headers[i] as string;
      if (meaning === 'content-coding') continue;
      const type = headers[i + 1] as string;
      contentTypes++;
      if (isLiteral && !NO_TYPE.test(type)) isTyped = true;
      if (FORM.test(type)) isForm = true;
      if (JSON_LIKE.test(type)) isJson = true;
    } else if (meaning === 'body') {
      if (headers[i + 1] !== '0') hasBody = true;
    } else {
      found ??= [];
      found.push([headers[i] as string, headers[i + 1] as string]);
    }
  }
  // Without a type, what is posted is a form to some (Rack).
  if (hasBody && !isTyped && head.method === 'POST') isForm = true;
  const fromQuery = /method|%/i.test(query) ? methodsInQuery(query) : [];
  const isJsonPost = isJson && head.method === 'POST';
  if (!found && folded === undefined && contentTypes < 2 && fromQuery.length === 0 && !isForm)
    return isJsonPost ? JSON_POST : NONE;

  const methods = new Set<string>(fromQuery);
  if (isForm) methods.add('PATCH');
  const paths: OtherPath[] = [];
  const findings: Finding[] = [];
  for (const [name, value] of found ?? []) {
    const meaning = meaningOf(name);
    if (meaning === 'method') for (const method of value.split(',')) methods.add(wordOf(method));
    else {
      const isOrdinary = meaning === 'ordinary-path';
      const finding = requestFinding(
        'request.ambiguous-path',
        `the header ${name} can give the request another path`,
        { hint: 'leave it out' },
      );
      paths.push({ value, finding, isOrdinary });
      if (!isOrdinary) findings.push(finding);
    }
  }
  if (hasBody && !isTyped && head.method !== 'PATCH') {
    findings.push(
      requestFinding(
        'request.content-type',
        `what comes with ${head.method} and has no Content-Type may be read as a form`,
        { hint: 'send Content-Type: application/json' },
      ),
    );
  }
  if (folded !== undefined) {
    findings.push(
      requestFinding(
        'request.ambiguous-header',
        `some servers read the header ${folded} as ${looseHeaderName(folded)}`,
        { hint: 'leave it out, or write its name with -' },
      ),
    );
  } else if (contentTypes > 1) {
    findings.push(
      requestFinding('request.ambiguous-header', 'Content-Type is given more than once', {
        hint: 'give it once',
      }),
    );
  }
  return { methods, isJsonPost, paths, findings };
}

const meaningOf = byHeaderName((name) => MEANINGS[looseHeaderName(name)] ?? 'none');

/** Whether a name that others read as `content-…` is that literally. */
function hasHyphen(name: string): boolean {
  return name[7] === '-';
}

/** `_method`; `method`; `_HttpMethod` and `$httpMethod`, as some services have it; Plack's; and the headers' names. */
const IN_QUERY = /^(?:_method|method_*$|[_$]httpmethod|x_http_method|x_method_override|x_tunneled_method)/;

function methodsInQuery(query: string): string[] {
  const methods: string[] = [];
  for (const [name, value] of new URLSearchParams(query.replaceAll(';', '&'))) {
    // As PHP reads names: `.`, `[` and spaces are `_`, and what is before the name goes. Like a header's, `-` is `_`.
    const plain = printable(name)
      .replace(/^[\s?]+/, '')
      .replace(/[. [\]-]/g, '_')
      .toLowerCase();
    if (IN_QUERY.test(plain)) methods.push(wordOf(value));
  }
  return methods;
}

/** The method that a value begins with, in capitals, whatever stands around it. */
function wordOf(value: string): string {
  return (/[a-z]+/i.exec(printable(value))?.[0] ?? '').toUpperCase();
}

function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to go
  return text.replace(/[\u0000-\u001f\u007f]/g, '');
}
