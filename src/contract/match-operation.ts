import { type RequestHead, splitTarget } from '../http/http.ts';
import type { Finding } from '../model/finding.ts';
import type { JudgedPath } from '../model/severity-override.ts';
import type { Contract } from './contract.ts';
import { type HeaderMeanings, meaningsOf, type OtherPath } from './header-meanings.ts';
import { checkParameters } from './parameters.ts';
import { readingsOf, type Template, templatesOf } from './path.ts';
import { type RequestRule, requestFinding } from './request-rules.ts';

/** The operation that a request could mean, and what its path and headers have against them. */
export interface Match {
  operation: string | undefined;
  /** The path's parameters as sent; empty if the path is ambiguous. */
  parameters: Readonly<Record<string, string>>;
  /** What stands before the operation's path: `/api/v2`, or `""`. Absent if that is ambiguous, or only the operation is known. */
  base?: string;
  findings: readonly Finding[];
  /** Absent if only the operation is known. */
  path?: JudgedPath;
  /** It means the operation only if its JSON body names a method, as `mayNameMethod` has it. */
  isByBody?: true;
}

const AMBIGUOUS: RequestRule = 'request.ambiguous-path';
/** More headers with a path than this are no honest use. */
const MOST_OTHER_PATHS = 2;
/** The same with those that ordinary proxies set, several of which may stand in a row. */
const MOST_PATHS = 8;
/** Characters of such a path, unless it is plain. */
const LONGEST_OTHER_PATH = 1000;

/** Tells which operation a request means, reading its path, method and headers as the loosest server would. */
export function createMatcher(entries: Contract['entries']): (head: RequestHead) => Match | undefined {
  const templates = templatesOf(entries);
  const methods = new Set(templates.map(({ entry }) => entry.method));
  const having = (isMeant: (method: string) => boolean) =>
    templates.filter(({ entry }) => isMeant(entry.method));
  return (head) => {
    const { path, query } = splitTarget(head.url);
    // A server that decodes first finds the query behind a coded `?`.
    const coded = head.url.includes('%') ? /%(?:25)*3f(.*)$/is.exec(head.url)?.[1] : undefined;
    const meanings = meaningsOf(head, coded === undefined ? query : `${coded}&${query}`);
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

function refused(operation: string | undefined, ...findings: Finding[]): Match {
  return { operation, parameters: {}, path: 'unclear', findings };
}

/** Some frameworks (CodeIgniter) take a query for the path: `?/accounts/…`, and not `?next=/accounts/…`. */
function matchQuery(meant: readonly Template[], query: string): Match | undefined {
  if (meant.length === 0 || !/^[^=&]*(?:[/\\]|%(?:25)*(?:2f|5c))/i.test(query)) return undefined;
  const readings = readingsOf(`/${query}`).map(({ text }) => ({ text, isVague: true }));
  const template = meant.find(({ mayBe }) => mayBe(readings));
  if (!template) return undefined;
  const hint = 'leave it out, or give its values names: ?name=value';
  const message = 'the query can give the request another path';
  return refused(template.operation, requestFinding(AMBIGUOUS, message, { hint }));
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
  const { operation, entry } = loose;
  const shown = JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
  const message = `the path ${shown} is not written plainly, yet a server may read it as ${entry.path} (${operation})`;
  const hint = `write it as ${entry.path}, in this letter case, without coded characters, dot segments or doubled slashes`;
  return refused(operation, requestFinding(AMBIGUOUS, message, { hint }), ...meanings.findings);
}

/** A character that servers read differently, an empty segment, a dot at either end of a segment, or no slash first. */
const NOT_PLAIN = /^[^/]|[^\w~!$&'()*+,=:@{}<>[\]|^"`./-]|\/[./]|\.\/|[./]$/;

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
  meant: readonly Template[],
  path: string,
  meanings: HeaderMeanings,
): Match | undefined {
  for (const { operation, entry, strict } of meant) {
    const found = strict.exec(path);
    if (!found) continue;
    const parameters = found.groups ?? {};
    const wrong = checkParameters(entry, parameters);
    const isClear = !wrong && meanings.findings.every(({ rule }) => rule !== AMBIGUOUS);
    return {
      operation,
      parameters,
      base: found[1] as string,
      path: isClear ? (found[2] as `/${string}`) : 'unclear',
      findings: wrong ? [...wrong, ...meanings.findings] : meanings.findings,
    };
  }
  return undefined;
}

function findLoosely(templates: readonly Template[], path: string): Template | undefined {
  if (templates.length === 0) return undefined;
  const readings = readingsOf(path);
  return templates.find(({ mayBe }) => mayBe(readings));
}

/** Paths that headers name, whatever the method: what a server makes of such a header is its own affair. */
function matchOtherPaths(
  meant: readonly Template[],
  templates: readonly Template[],
  path: string,
  paths: readonly OtherPath[],
): Match | undefined {
  if (paths.length === 0) return undefined;
  const routing = paths.filter(({ isOrdinary }) => !isOrdinary);
  const isLong = ({ value }: OtherPath) => value.length > LONGEST_OTHER_PATH && !isPlain(value);
  const isTooMany = routing.length > MOST_OTHER_PATHS || paths.length > MOST_PATHS || routing.some(isLong);
  const parent = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
  for (const { value, finding, isOrdinary } of paths) {
    // Those that ordinary proxies set count for little: only if a PATCH of something else is said to be one of a record.
    const candidates = isOrdinary ? meant : templates;
    if (candidates.length === 0) continue;
    if (isTooMany) return refused(undefined, finding);
    const other = splitTarget(value).path;
    // A value without a slash first may go on from the path.
    const texts = other.startsWith('/') ? [other] : [other, `${path}/${other}`, `${parent}/${other}`];
    for (const text of texts) {
      const template = findLoosely(candidates, text);
      if (template) return refused(template.operation, finding);
    }
  }
  return undefined;
}
