import { splitTarget } from '../http/http.ts';
import type { OperationEntry, ParameterForm } from '../model/contract.ts';
import { isRecordKind, type RecordName } from '../model/record.ts';
import { isNothing, type LoosePath, mayBeWord, mayEndPath, mayFit, startsWithEnd } from './loose-path.ts';

/** An operation's path template, ready to be held against paths. */
export interface Template {
  operation: string;
  entry: OperationEntry;
  /** How a path fits the template to the letter; undefined if it does not. */
  match(path: string): Fit | undefined;
  /** Whether some server may take a loose path for the template's. */
  mayBe(path: LoosePath): boolean;
}

/** How a path fits a template. */
interface Fit {
  parameters: Readonly<Record<string, string>>;
  /** Before the template: `/api/v2`, or `""`. */
  base: string;
  /** Without the prefix. */
  path: `/${string}`;
}

/** A segment of a template: a word, or a pattern with parameters. */
interface Part {
  word?: string;
  /** In any letter case. */
  pattern: RegExp;
}

/** The templates of a contract, the most specific first: literal segments go before parameters, long paths before short ones. */
export function templatesOf(
  entries: Readonly<Record<string, OperationEntry>>,
  basePath = '',
): readonly Template[] {
  return Object.entries(entries)
    .map(([operation, entry]) => ({ template: templateOf(operation, entry, basePath), path: entry.path }))
    .sort((a, b) => compareSpecific(a.path, b.path))
    .map(({ template }) => template);
}

function compareSpecific(a: string, b: string): number {
  const literals = (path: string) =>
    path.split('/').filter((part) => part !== '' && !part.includes('{')).length;
  const inPlace = (path: string) => path.replace(/\/[^/]*\{[^/]*/g, '/~').replace(/\/[^/~]+/g, '/!');
  return (
    literals(b) - literals(a) ||
    b.split('/').length - a.split('/').length ||
    (inPlace(a) < inPlace(b) ? -1 : Number(inPlace(a) > inPlace(b)))
  );
}

/** @param basePath only paths below it fit, by whole segments; `""`: all */
function templateOf(operation: string, entry: OperationEntry, basePath: string): Template {
  const isAnchored = entry.base !== undefined;
  const ownBase = entry.base?.replace(/\/$/, '') ?? '';
  const parts = partsOf(ownBase + entry.path);
  const base = isAnchored ? [] : partsOf(basePath);
  const names = [...entry.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const exact = new RegExp(
    `^(${isAnchored ? literally(ownBase) : '.*?'})(${entry.path.split('/').slice(1).map(sourceOf).join('')})$`,
    's',
  );
  return {
    operation,
    entry,
    match(path) {
      if (basePath !== '' && !path.startsWith(`${basePath}/`)) return undefined;
      const found = exact.exec(path);
      if (!found) return undefined;
      const parameters: Record<string, string> = {};
      for (let i = 0; i < names.length; i++) parameters[names[i] as string] = found[i + 3] as string;
      return { parameters, base: found[1] as string, path: found[2] as `/${string}` };
    },
    mayBe: (path) => canFollow(base, parts, path, isAnchored),
  };
}

function partsOf(path: string): Part[] {
  return path
    .split('/')
    .slice(1)
    .map((segment) => ({
      pattern: new RegExp(`^${sourceOf(segment).slice(1)}$`, 'is'),
      ...(!/\{\w+\}/.test(segment) && { word: segment.toLowerCase() }),
    }));
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** `{id}:archive` -> `/([^/]+):archive`. */
function sourceOf(segment: string): string {
  return `/${segment.replace(/\{\w+\}|[.*+?^${}()|[\]\\]/g, (found) => (found.length > 1 ? '([^/]+)' : `\\${found}`))}`;
}

/**
 * Whether the parts may follow each other in the segments of a path, up to its end. Walks all at once: `reached[n]` says whether the
 * first n parts may be what came by.
 */
function canFollow(
  base: readonly Part[],
  own: readonly Part[],
  { segments, hasDots }: LoosePath,
  isAnchored: boolean,
): boolean {
  const parts = [...base, ...own];
  let reached = parts.map((_, n) => n === 0);
  reached.push(false);
  // Dots may take a parameter's segment away.
  const skipParameters = () => {
    for (let n = 0; hasDots && n < parts.length; n++)
      if (reached[n] && (parts[n] as Part).word === undefined) reached[n + 1] = true;
  };
  for (const { text, isJoined, isBehindParameters } of segments) {
    skipParameters();
    const isEmpty = isNothing(text);
    if (reached[parts.length] && startsWithEnd(text)) return true;
    const next = reached.map((was, n) => {
      if (!was) return false;
      const isOfParameter = isJoined && n > 0 && parts[n - 1]?.word === undefined;
      return (n === base.length && !isAnchored) || hasDots || isEmpty || isOfParameter || isBehindParameters;
    });
    if (next[parts.length] && mayEndPath(text)) return true;
    for (let n = 0; n < parts.length; n++) {
      const { word, pattern } = parts[n] as Part;
      if (!reached[n]) continue;
      const isLast = n === parts.length - 1;
      const fits =
        word === undefined
          ? text !== ''
            ? pattern.test(text) || mayFit(text, pattern)
            : !isLast
          : mayBeWord(text, word);
      if (fits) next[n + 1] = true;
      if (fits && isLast && (hasDots || mayEndPath(text))) return true;
    }
    reached = next;
  }
  skipParameters();
  return reached[parts.length] === true;
}
/** Tells which record a request's URL is that of, whatever the method; undefined where it is none's. */
export type RecordMatcher = (url: string) => RecordName | undefined;

/** @param basePath only records below it are told, by whole segments; `""`: all */
export function createRecordMatcher(
  entries: Readonly<Record<string, OperationEntry>>,
  basePath = '',
): RecordMatcher {
  const templates = templatesOf(
    Object.fromEntries(Object.entries(entries).filter(([, { record }]) => isRecordKind(record?.kind ?? ''))),
    basePath,
  );
  return (url) => {
    const { path } = splitTarget(url);
    // A base URL that ends in a slash doubles one, which most servers do not mind.
    const bare = (path.endsWith('/') ? path.slice(0, -1) : path).replace(/\/{2,}/g, '/');
    for (const { entry, match } of templates) {
      const found = match(bare);
      if (found) return recordNamed(entry, found.parameters, found.base);
    }
    return undefined;
  };
}

/**
 * The record that an operation's parameters name, each as the loosest server would read it: `042` is 42. Undefined where one is
 * none of what the operation takes: which record that is cannot be said.
 */
export function recordNamed(
  { record, parameters: forms }: OperationEntry,
  parameters: Readonly<Record<string, string>>,
  base: string | undefined,
): RecordName | undefined {
  const { kind = '', id = '', account } = record ?? {};
  if (!isRecordKind(kind)) return undefined;
  const named = readAs(forms[id], parameters[id]);
  const inAccount = account === undefined ? 'current' : readAs(forms[account], parameters[account]);
  return named === undefined || inAccount === undefined
    ? undefined
    : { base, account: inAccount, kind, id: named };
}

/** A key of a record: unlike any number. */
export const KEY = /^[A-Za-z_][\w.-]*$/;

function readAs(form: ParameterForm | undefined, text: string | undefined): string | undefined {
  if (text === undefined || form === undefined || form.type === 'string') return text;
  const keyword = form.keywords?.find((word) => word.toLowerCase() === text.toLowerCase());
  if (keyword !== undefined) return keyword;
  if (/^(?:0|[1-9]\d{0,8})$/.test(text)) return text;
  if (form.type === 'integerOrKey' && KEY.test(text)) return text;
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const number = BigInt(text.replace('+', ''));
  return form.type === 'int32' && number !== BigInt.asIntN(32, number) ? undefined : String(number);
}
