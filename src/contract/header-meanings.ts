import type { Finding } from '../model/finding.ts';
import { byHeaderName, type RawHeaders } from '../model/http.ts';
import { requestFinding } from './request-rules.ts';

/** What the headers of a request could mean beside their own sense, read as the loosest server would. */
export interface HeaderMeanings {
  /** Methods that they could turn the request into, in capitals. */
  methods: ReadonlySet<string>;
  /** Paths that they could give it. */
  paths: readonly string[];
  findings: readonly Finding[];
}

/** Headers that have such a meaning; most requests have none of them. */
const MEANINGS: Readonly<Record<string, 'method' | 'path' | 'content-type'>> = {
  __proto__: null as never,
  'x-http-method-override': 'method',
  'x-http-method': 'method',
  'x-method-override': 'method',
  'x-original-url': 'path',
  'x-rewrite-url': 'path',
  'content-type': 'content-type',
};

/** Frameworks look for `_method` in forms as well. What they find there is not read: no operation takes a form. */
const FORM = /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

const NO_METHODS: ReadonlySet<string> = new Set();
const NONE: HeaderMeanings = { methods: NO_METHODS, paths: [], findings: [] };

/** @param query the request's, where some servers look for a method as well */
export function meaningsOf(headers: RawHeaders, query: string): HeaderMeanings {
  let found: [name: string, value: string][] | undefined;
  let contentTypes = 0;
  let isForm = false;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const meaning = meaningOf(headers[i] as string);
    if (meaning === 'none') continue;
    if (meaning === 'content-type') {
      contentTypes++;
      if (FORM.test(headers[i + 1] as string)) isForm = true;
    } else {
      found ??= [];
      found.push([headers[i] as string, headers[i + 1] as string]);
    }
  }
  const fromQuery = /method|%/i.test(query) ? methodsInQuery(query) : [];
  if (!found && contentTypes < 2 && fromQuery.length === 0 && !isForm) return NONE;

  const methods = new Set<string>(fromQuery);
  if (isForm) methods.add('PATCH');
  const paths: string[] = [];
  const findings: Finding[] = [];
  for (const [name, value] of found ?? []) {
    if (meaningOf(name) === 'method') for (const method of value.split(',')) methods.add(wordOf(method));
    else {
      paths.push(value);
      findings.push(
        requestFinding('request.ambiguous-path', `the header ${name} can give the request another path`, {
          hint: 'leave it out',
        }),
      );
    }
  }
  if (contentTypes > 1) {
    findings.push(
      requestFinding('request.ambiguous-header', 'Content-Type is given more than once', {
        hint: 'give it once',
      }),
    );
  }
  return { methods, paths, findings };
}

/** A CGI-like server reads `_` as `-`. */
const meaningOf = byHeaderName((name) => MEANINGS[name.replaceAll('_', '-')] ?? 'none');

function methodsInQuery(query: string): string[] {
  const methods: string[] = [];
  for (const [name, value] of new URLSearchParams(query.replaceAll(';', '&'))) {
    // As PHP reads names: `.`, `[` and spaces are `_`, and what is before the name goes.
    const plain = printable(name)
      .trimStart()
      .replace(/[. [\]]/g, '_')
      .toLowerCase();
    if (plain.startsWith('_method')) methods.push(wordOf(value));
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
