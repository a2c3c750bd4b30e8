import { type RequestHead, splitTarget } from '../http/http.ts';
import type { OperationEntry, ParameterForm } from '../model/contract.ts';
import type { Finding } from '../model/finding.ts';
import type { JudgedPath } from '../model/severity-override.ts';
import { type HeaderMeanings, meaningsOf, type OtherPath } from './header-meanings.ts';
import { isPlain, looseForms } from './loose-path.ts';
import { type RequestRule, requestFinding } from './request-rules.ts';
import { KEY, type Template, templatesOf } from './template.ts';

/** The operation that a request could mean, and what its path and headers have against them. */
export interface Match {
  /** Undefined where it only goes below a judged record's path, or it cannot be told. */
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
/** More headers with a path than this are no honest use, and each has to be read in all ways. */
const MOST_OTHER_PATHS = 2;
/** Characters of such a path, unless it is plain. */
const LONGEST_OTHER_PATH = 1000;
/** The same of those that ordinary proxies set, several of which may stand in a row. */
const MOST_ORDINARY_PATHS = 8;

/**
 * Tells which operation a request means, reading its path, method and headers as the loosest server would.
 *
 * @param basePath only paths below it match, by whole segments; `""`: all
 */
export function createMatcher(entries: Readonly<Record<string, OperationEntry>>, basePath = ''): Matcher {
  const templates = templatesOf(entries, basePath);
  const anywhere = templatesOf(entries);
  const methods = new Set(templates.map(({ entry }) => entry.method));
  return (head) => {
    const { path, query } = splitTarget(head.url);
    const meanings = meaningsOf(head, path.includes('%') ? `${codedQueryOf(path)}&${query}` : query);
    // Most requests that are not judged end here: no operation has their method, and nothing gives them another.
    if (
      !methods.has(head.method) &&
      meanings.methods.size === 0 &&
      !meanings.isJsonPost &&
      meanings.paths.every(({ isOrdinary }) => isOrdinary)
    )
      return undefined;
    const asked: Asked = { path, query, meanings, templates, anywhere };
    const match = matchPath(
      templates.filter(({ entry }) => entry.method === head.method || meanings.methods.has(entry.method)),
      asked,
    );
    if (match || !meanings.isJsonPost) return match;
    const byBody = matchPath(
      templates.filter(({ entry }) => entry.method === 'PATCH'),
      asked,
    );
    return byBody && { ...byBody, isByBody: true };
  };
}

/** What is looked at in a request. */
interface Asked {
  path: string;
  query: string;
  meanings: HeaderMeanings;
  /** All of the contract, the most specific first. */
  templates: readonly Template[];
  /** The same without the base path. */
  anywhere: readonly Template[];
}

/** @param meant the templates that have the request's method, or one that it could get */
function matchPath(meant: readonly Template[], asked: Asked): Match | undefined {
  const { path, meanings } = asked;
  const byQuery = matchOtherPaths(pathsInQuery(asked, meant), meant, asked);
  if (byQuery) return byQuery;
  // One slash at the end is judged as if it were not there.
  const bare = path.endsWith('/') ? path.slice(0, -1) : path;
  const strict = isPlain(bare) || isCodedText(bare) ? matchStrictly(meant, bare, meanings) : undefined;
  if (strict && bare === bare.toLowerCase() && !bare.includes('%')) return strict;
  const loose = findLoosely(meant, path);
  if (strict && loose?.operation === strict.operation) return strict;
  if (loose) {
    const findings = [ambiguous(loose, path), ...meanings.findings];
    return { operation: loose.operation, parameters: {}, path: 'unclear', findings };
  }
  return matchOtherPaths(meanings.paths, meant, asked);
}

function matchStrictly(
  templates: readonly Template[],
  path: string,
  meanings: HeaderMeanings,
): Match | undefined {
  for (const { operation, entry, match } of templates) {
    const found = match(path);
    if (!found || (path.includes('%') && !isInTexts(entry, path, found.parameters))) continue;
    const wrong = checkParameters(entry, found.parameters);
    const isClear = wrong.length === 0 && meanings.findings.every(({ rule }) => rule !== AMBIGUOUS);
    return {
      operation,
      parameters: found.parameters,
      base: found.base,
      path: isClear ? found.path : 'unclear',
      findings: [...wrong, ...meanings.findings],
    };
  }
  return undefined;
}

function findLoosely(templates: readonly Template[], path: string): Template | undefined {
  if (templates.length === 0) return undefined;
  const forms = looseForms(path);
  return templates.find(({ mayBe }) => forms.some(mayBe));
}

/** @param meant the templates that have the request's method, or one that it could get */
function matchOtherPaths(
  others: readonly OtherPath[],
  meant: readonly Template[],
  { path, templates }: Asked,
): Match | undefined {
  const ordinary = others.filter(({ isOrdinary }) => isOrdinary).length;
  const isTooMany =
    others.length - ordinary > MOST_OTHER_PATHS ||
    ordinary > MOST_ORDINARY_PATHS ||
    others.some(
      ({ value, isOrdinary }) => !isOrdinary && value.length > LONGEST_OTHER_PATH && !isPlain(value),
    );
  for (const { value, finding, isOrdinary } of others) {
    // Whatever the method: what a server makes of such a header is its own affair. Those that ordinary proxies set count
    // for little: only where a PATCH of something else is said to be one of a record.
    const candidates = isOrdinary ? meant : templates;
    if (candidates.length === 0) continue;
    const refused = (operation?: string): Match => ({
      ...{ operation, parameters: {}, path: 'unclear' },
      findings: [finding],
    });
    if (isTooMany) return refused();
    for (const text of pathsFrom(path, value)) {
      const template = findLoosely(candidates, text);
      if (template) return refused(template.operation);
    }
  }
  return undefined;
}

/** The query of a path whose `?` is coded, for a server that decodes first. */
function codedQueryOf(path: string): string {
  return /%(?:25)*3f(.*)$/is.exec(path)?.[1] ?? '';
}

/**
 * A query that some frameworks (CodeIgniter) take for the path: `?/accounts/…`, and not `?next=/accounts/…`. Behind a
 * script's path it goes on from there.
 */
function pathsInQuery({ path, query, anywhere }: Asked, meant: readonly Template[]): OtherPath[] {
  if (meant.length === 0 || !/^[^=&]*(?:[/\\]|%(?:25)*(?:2f|5c))/i.test(query)) return [];
  const whole = `/${query.replace(/^\/+/, '')}`;
  const end = whole.indexOf('&');
  const finding = requestFinding('request.ambiguous-path', 'the query can give the request another path', {
    hint: 'leave it out, or give its values names: ?name=value',
  });
  return (end < 0 ? [whole] : [whole, whole.slice(0, end)])
    .filter((value) => findLoosely(anywhere, value))
    .flatMap((value) => [value, path + value, parentOf(path) + value])
    .map((value) => ({ value, finding, isOrdinary: true }));
}

/** The paths that a header's value can give a request for `path`: a value without a slash first may go on from there. */
function pathsFrom(path: string, value: string): string[] {
  const other = splitTarget(value).path;
  return other.startsWith('/') ? [other] : [other, `${path}/${other}`, `${parentOf(path)}/${other}`];
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

function shown(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}

function ambiguous({ operation, entry }: Template, path: string): Finding {
  return requestFinding(
    'request.ambiguous-path',
    `the path ${shown(path)} is not written plainly, yet a server may read it as ${entry.path} (${operation})`,
    {
      hint: `write it as ${entry.path}, in this letter case, without coded characters, dot segments or doubled slashes`,
    },
  );
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
    const shown = JSON.stringify(value.slice(0, 80));
    const message = `${name} in the path must be ${words}${wanted}, not ${shown}`;
    findings ??= [];
    findings.push(
      requestFinding('request.path-parameter', message, {
        hint: hintOf(form, value),
        ...(form.source === undefined ? {} : { source: form.source }),
      }),
    );
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
  if (form.pattern !== undefined && !patternOf(form.pattern).test(text))
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

const patterns = new Map<string, RegExp>();
function patternOf(source: string): RegExp {
  const pattern = patterns.get(source) ?? new RegExp(source, 'u');
  patterns.set(source, pattern);
  return pattern;
}

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

/** Whether all that is coded in a path stands in parameters of the type `string`. */
function isInTexts(
  entry: OperationEntry,
  path: string,
  parameters: Readonly<Record<string, string>>,
): boolean {
  const codes = (text: string) => text.split('%').length - 1;
  const texts = Object.entries(parameters).filter(([name]) => entry.parameters[name]?.type === 'string');
  return texts.reduce((sum, [, value]) => sum + codes(value), 0) === codes(path);
}

/** Canonical decimal: one way to write each number, so that every server reads the same one. */
function isInteger(value: string): boolean {
  return /^(?:0|-?[1-9][0-9]*)$/.test(value);
}

function isInt32(decimal: string): boolean {
  return decimal.length <= 11 && Number(decimal) === (Number(decimal) | 0);
}
