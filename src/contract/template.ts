import { splitTarget } from '../http/http.ts';
import type { OperationEntry, ParameterForm } from '../model/contract.ts';
import { isRecordKind, type RecordName } from '../model/record.ts';

/** An operation's path template, ready to be held against paths. */
export interface Template {
  operation: string;
  entry: OperationEntry;
  /** Where a path ends in the template, literally; undefined where it does not. */
  match(path: string): Fit | undefined;
  /** The same with literal segments in any letter case, and parameters before the last that may be empty. */
  folded: RegExp;
  /** The record's path with something below it. */
  below: RegExp;
  /** The same literally. */
  matchBelow(path: string): Fit | undefined;
  /** Whether a text has the literal segments in it, in any letter case: what has not can be neither of these. */
  isIn(text: string): boolean;
}

/** How a path fits a template. */
interface Fit {
  parameters: Readonly<Record<string, string>>;
  /** What stands before the template: `/api/v2`, or `""`. */
  base: string;
  /** Without the prefix. */
  path: `/${string}`;
}

/** @param basePath only paths below it fit, by whole segments; `""`: all */
export function templateOf(operation: string, entry: OperationEntry, basePath: string): Template {
  const segments = entry.path.split('/').slice(1);
  const names = segments.map((segment) => /^\{(\w+)\}$/.exec(segment)?.[1]);
  const words = segments.filter((_, index) => names[index] === undefined).map((word) => word.toLowerCase());
  const isBelow = basePath === '' ? '' : `(?=${literal(basePath)}/)`;
  const prefix = `${isBelow}(?:/.*)?`;
  const source = segments
    .map((segment, index) => {
      if (names[index] === undefined) return `/${literal(segment)}`;
      return index < segments.length - 1 ? '/[^/]*' : '/[^/]+';
    })
    .join('');
  const caught = names.filter((name) => name !== undefined);
  const below = new RegExp(`^${isBelow}((?:/.*?)?)(${source.replace(/\[\^\/\]./g, '($&)')}/.+)$`, 's');
  return {
    operation,
    entry,
    match(path) {
      const parameters: Record<string, string> = {};
      // From the last segment to the first: what stands before them is the prefix.
      let end = path.length;
      for (let i = segments.length - 1; i >= 0; i--) {
        const slash = path.lastIndexOf('/', end - 1);
        if (slash < 0) return undefined;
        const segment = path.slice(slash + 1, end);
        const name = names[i];
        if (name === undefined ? segment !== segments[i] : segment === '') return undefined;
        if (name !== undefined) parameters[name] = segment;
        end = slash;
      }
      if (basePath !== '' && !path.startsWith(`${basePath}/`)) return undefined;
      return { parameters, base: path.slice(0, end), path: path.slice(end) as `/${string}` };
    },
    folded: new RegExp(`^${prefix}${source}/?$`, 'is'),
    below: new RegExp(`^${prefix}${source}/.+$`, 'is'),
    matchBelow(path) {
      const [, base = '', part, ...values] = below.exec(path) ?? [];
      if (part === undefined) return undefined;
      const parameters = Object.fromEntries(caught.map((name, index) => [name, values[index] ?? '']));
      return { parameters, base, path: part as `/${string}` };
    },
    isIn(text) {
      const inLowerCase = text.toLowerCase();
      let at = 0;
      for (const word of words) {
        at = inLowerCase.indexOf(word, at);
        if (at < 0) return false;
        at += word.length;
      }
      return true;
    },
  };
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Tells which record a request's URL is that of, whatever the method; undefined where it is none's. */
export type RecordMatcher = (url: string) => RecordName | undefined;

/** @param basePath only records below it are told, by whole segments; `""`: all */
export function createRecordMatcher(
  entries: Readonly<Record<string, OperationEntry>>,
  basePath = '',
): RecordMatcher {
  const templates = Object.entries(entries)
    .filter(([, { record }]) => isRecordKind(record.kind))
    .map(([operation, entry]): Template => templateOf(operation, entry, basePath));
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
  const { kind, id, account } = record;
  if (!isRecordKind(kind)) return undefined;
  const named = readAs(forms[id], parameters[id]);
  const inAccount = account === undefined ? 'current' : readAs(forms[account], parameters[account]);
  return named === undefined || inAccount === undefined
    ? undefined
    : { base, account: inAccount, kind, id: named };
}

function readAs(form: ParameterForm | undefined, text: string | undefined): string | undefined {
  if (text === undefined || form === undefined || form.type === 'string') return text;
  const keyword = form.keywords?.find((word) => word.toLowerCase() === text.toLowerCase());
  if (keyword !== undefined) return keyword;
  if (/^(?:0|[1-9]\d{0,8})$/.test(text)) return text;
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const number = BigInt(text.replace('+', ''));
  return form.type === 'int32' && number !== BigInt.asIntN(32, number) ? undefined : String(number);
}
