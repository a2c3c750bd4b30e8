import { type RequestHead, splitTarget } from '../http/http.ts';
import type { OperationEntry, ParameterForm } from '../model/contract.ts';
import type { Finding } from '../model/finding.ts';
import type { JudgedPath } from '../model/severity-override.ts';
import { type HeaderMeanings, meaningsOf, type OtherPath } from './header-meanings.ts';
import { mayBe, readingsOf } from './loose-path.ts';
import { type RequestRule, requestFinding } from './request-rules.ts';
import { KEY, type Template, templatesOf } from './template.ts';

/** The operation that a request could mean, and what its path and headers have against them. */
export interface Match {
  /** Undefined where it cannot be told. */
  operation: string | undefined;
  /** The path's parameters as sent; empty where the path is ambiguous. */
  parameters: Readonly<Record<string, string>>;
  /** What stands before the operation's path: `/api/v2`, or `""`. Absent where that is ambiguous, or only the operation is known. */
  base?: string;
  findings: readonly Finding[];
  /** Absent where only the operation is known. */
  path?: JudgedPath;
  /** It means the operation only where its JSON body names a method, as `mayNameMethod` has it. */
  isByBody?: true;
}

type Matcher = (head: RequestHead) => Match | undefined;

const AMBIGUOUS: RequestRule = 'request.ambiguous-path';
/** More headers with a path than this are no honest use. */
const MOST_OTHER_PATHS = 2;
/** The same of those that ordinary proxies set, several of which may stand in a row. */
const MOST_ORDINARY_PATHS = 8;
/** Characters of such a path, unless it is plain. */
const LONGEST_OTHER_PATH = 1000;

/** Tells which operation a request means, reading its path, method and headers as the loosest server would. */
export function createMatcher(entries: Readonly<Record<string, OperationEntry>>): Matcher {
  const templates = templatesOf(entries);
  const methods = new Set(templates.map(({ entry }) => entry.method));
  const having = (isMeant: (method: string) => boolean) =>
    templates.filter(({ entry }) => isMeant(entry.method));
  return (head) => {
    const { path, query } = splitTarget(head.url);
    const isCoded = head.url.includes('%');
    const meanings = meaningsOf(head, isCoded ? `${codedQueryOf(head.url)}&${query}` : query);
    const { methods: others, isJsonPost, paths } = meanings;
    // Most requests that are not judged end here: no operation has their method, and nothing gives them another.
    const isPlainly = others.size === 0 && !isJsonPost && paths.every(({ isOrdinary }) => isOrdinary);
    if (isPlainly && !methods.has(head.method)) return undefined;
    const matchAmong = (meant: readonly Template[]) =>
      matchQuery(meant, query) ??
      matchPath(meant, path, meanings) ??
      matchOtherPaths(meant, templates, path, paths);
    const match = matchAmong(having((method) => method === head.method || others.has(method)));
    if (match || !isJsonPost) return match;
    const byBody = matchAmong(having((method) => method === 'PATCH'));
    return byBody && { ...byBody, isByBody: true };
  };
}

/** @param meant the templates that have the request's method, or one that it could get; the most specific first */
function matchPath(meant: readonly Template[], path: string, meanings: HeaderMeanings): Match | undefined {
  // One slash at the end is judged as if it were not there.
  const bare = path.endsWith('/') ? path.slice(0, -1) : path;
  const isClear = isPlain(bare);
  const strict = isClear || isCodedText(bare) ? matchStrictly(meant, bare, meanings) : undefined;
  // A plain path in lower case has one reading.
  if (isClear && bare === bare.toLowerCase()) return strict;
  const loose = findLoosely(meant, path);
  if (!loose || loose.operation === strict?.operation) return strict;
  return refused(loose.operation, ambiguous(loose, path), ...meanings.findings);
}

/** A character that servers read differently, an empty segment, a dot at either end of a segment, or no slash first. */
const NOT_PLAIN = /^[^/]|[^\w~!$&'()*+,=:@./-]|\/[./]|\.\/|[./]$/;

const isPlain = (path: string) => !NOT_PLAIN.test(path);

/** Octets that every server decodes alike: no separators, dots, controls or further codes. */
function isCodedText(path: string): boolean {
  if (!path.includes('%') || !isPlain(path.replace(/%[\da-f]{2}/gi, 'x'))) return false;
  try {
    const decoded = (path.match(/(?:%[\da-f]{2})+/gi) ?? []).map(decodeURIComponent).join('');
    return /^[\x20!"$&'()*+,:<=>@[\]^_`{|}~0-9a-z\xa0-\u1fff\u3000-\ud7ff]*$/iu.test(decoded);
  } catch {
    return false;
  }
}

function matchStrictly(
  templates: readonly Template[],
  path: string,
  meanings: HeaderMeanings,
): Match | undefined {
  for (const { operation, entry, match } of templates) {
    const found = match(path);
    if (!found) continue;
    const wrong = checkParameters(entry, found.parameters);
    const isClear = wrong.length === 0 && meanings.findings.every(({ rule }) => rule !== AMBIGUOUS);
    return {
      operation,
      parameters: found.parameters,
      base: found.base,
      path: isClear ? found.path : 'unclear',
      findings: wrong.length === 0 ? meanings.findings : [...wrong, ...meanings.findings],
    };
  }
  return undefined;
}

function findLoosely(templates: readonly Template[], path: string): Template | undefined {
  if (templates.length === 0) return undefined;
  const readings = readingsOf(path);
  return templates.find(({ loose }) => mayBe(loose, readings));
}

function refused(operation: string | undefined, ...findings: Finding[]): Match {
  return { operation, parameters: {}, path: 'unclear', findings };
}

/** Some frameworks (CodeIgniter) take a query for the path: `?/accounts/…`, and not `?next=/accounts/…`. */
function matchQuery(meant: readonly Template[], query: string): Match | undefined {
  if (meant.length === 0 || !/^[^=&]*(?:[/\\]|%(?:25)*(?:2f|5c))/i.test(query)) return undefined;
  for (const value of [query, query.split('&', 1)[0] as string]) {
    const readings = readingsOf(`/${value.replace(/^\/+/, '')}`);
    const template = meant.find(({ anywhere }) => mayBe(anywhere, readings));
    if (!template) continue;
    const hint = 'leave it out, or give its values names: ?name=value';
    const message = 'the query can give the request another path';
    return refused(template.operation, requestFinding(AMBIGUOUS, message, { hint }));
  }
  return undefined;
}

/** The query of a URL whose `?` is coded, for a server that decodes first. */
function codedQueryOf(url: string): string {
  return /%(?:25)*3f(.*)$/is.exec(url)?.[1] ?? '';
}

function matchOtherPaths(
  meant: readonly Template[],
  templates: readonly Template[],
  path: string,
  paths: readonly OtherPath[],
): Match | undefined {
  if (paths.length === 0) return undefined;
  const ordinary = paths.filter(({ isOrdinary }) => isOrdinary).length;
  const isLong = ({ value, isOrdinary }: OtherPath) =>
    !isOrdinary && value.length > LONGEST_OTHER_PATH && !isPlain(value);
  const isTooMany =
    paths.length - ordinary > MOST_OTHER_PATHS || ordinary > MOST_ORDINARY_PATHS || paths.some(isLong);
  for (const { value, finding, isOrdinary } of paths) {
    // Whatever the method: what a server makes of such a header is its own affair. Those that ordinary proxies set count
    // for little: only where a PATCH of something else is said to be one of a record.
    const candidates = isOrdinary ? meant : templates;
    if (candidates.length === 0) continue;
    if (isTooMany) return refused(undefined, finding);
    const other = splitTarget(value).path;
    const parent = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
    // A value without a slash first may go on from the path.
    for (const text of other.startsWith('/') ? [other] : [other, `${path}/${other}`, `${parent}/${other}`]) {
      const template = findLoosely(candidates, text);
      if (template) return refused(template.operation, finding);
    }
  }
  return undefined;
}

function ambiguous({ operation, entry }: Template, path: string): Finding {
  const shown = JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
  const message = `the path ${shown} is not written plainly, yet a server may read it as ${entry.path} (${operation})`;
  const hint = `write it as ${entry.path}, in this letter case, without coded characters, dot segments or doubled slashes`;
  return requestFinding(AMBIGUOUS, message, { hint });
}

const NONE: readonly Finding[] = [];

/** Whether the parameters of a path have the forms that the operation gives them. */
function checkParameters(
  entry: OperationEntry,
  parameters: Readonly<Record<string, string>>,
): readonly Finding[] {
  let findings: Finding[] | undefined;
  for (const name in entry.parameters) {
    const form = entry.parameters[name] as ParameterForm;
    const value = parameters[name] as string;
    if (form.keywords?.includes(value)) continue;
    const wanted = wantedOf(form, value);
    if (wanted === undefined) continue;
    const words = form.keywords ? `${form.keywords.map((word) => `"${word}"`).join(', ')} or ` : '';
    const message = `${name} in the path must be ${words}${wanted}, not ${JSON.stringify(value.slice(0, 80))}`;
    const more = { hint: hintOf(form, value), ...(form.source !== undefined && { source: form.source }) };
    findings ??= [];
    findings.push(requestFinding('request.path-parameter', message, more));
  }
  return findings ?? NONE;
}

/** What a parameter must be; undefined: it is. */
function wantedOf(form: ParameterForm, value: string): string | undefined {
  switch (form.type) {
    case 'integer':
      return isInteger(value) ? undefined : 'an integer';
    case 'int32':
      return isInteger(value) && isInt32(value) ? undefined : 'a 32-bit integer';
    case 'integerOrKey':
      return isInteger(value) || KEY.test(value) ? undefined : 'an integer or a key';
  }
  const text = value.includes('%') ? decodeURIComponent(value) : value;
  if (form.enum && !form.enum.includes(text)) return `one of ${form.enum.join(', ')}`;
  if (form.pattern !== undefined && !new RegExp(form.pattern, 'u').test(text))
    return `a text that matches ${form.pattern}`;
  if (form.format && !FORMATS[form.format].test(text)) return `a ${form.format}`;
  return undefined;
}

function hintOf({ type }: ParameterForm, value: string): string {
  if (type === 'string') return 'correct the path';
  if (type !== 'integerOrKey' && KEY.test(value))
    return 'send the number; if the service takes keys too, give the parameter the type "integerOrKey" in the contract';
  return 'write it in decimal, without leading zeros or a plus sign';
}

const FORMATS = {
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i,
} as const;

/** Canonical decimal: one way to write each number, so that every server reads the same one. */
function isInteger(value: string): boolean {
  return /^(?:0|-?[1-9][0-9]*)$/.test(value);
}

function isInt32(decimal: string): boolean {
  return decimal.length <= 11 && Number(decimal) === (Number(decimal) | 0);
}
