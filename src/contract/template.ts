import { splitTarget } from '../http/http.ts';
import type { OperationEntry, ParameterForm } from '../model/contract.ts';
import { isRecordKind, type RecordName } from '../model/record.ts';
import { type LooseTemplate, looseTemplate, mayBe, readingsOf } from './loose-path.ts';

/** An operation's path template, ready to be held against paths. */
export interface Template {
  operation: string;
  entry: OperationEntry;
  /** Undefined if the path does not fit the template to the letter. */
  match(path: string): Fit | undefined;
  loose: LooseTemplate;
  /** The same behind any prefix. */
  anywhere: LooseTemplate;
}

/** How a path fits a template. */
interface Fit {
  parameters: Readonly<Record<string, string>>;
  /** Before the template: `/api/v2`, or `""`. */
  base: string;
  /** Without the prefix. */
  path: `/${string}`;
}

type Entries = Readonly<Record<string, OperationEntry>>;

/** The templates of a contract, the most specific first: literal segments go before parameters, long paths before short ones. */
export function templatesOf(entries: Entries): readonly Template[] {
  return Object.entries(entries)
    .sort(([, a], [, b]) => compareSpecific(a.path, b.path))
    .map(([operation, entry]) => templateOf(operation, entry));
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

function templateOf(operation: string, entry: OperationEntry): Template {
  const { path, parameters: forms, base: own } = entry;
  const base = own?.replace(/\/$/, '');
  const names = parametersIn(path);
  const source = path.replace(/\{(\w+)\}|[.*+?^$()|[\]\\]/g, (found, name?: string) =>
    name === undefined ? `\\${found}` : forms[name]?.type === 'string' ? '([^/]+)' : '([^/%]+)',
  );
  const prefix = base?.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') ?? '[^%]*?';
  const exact = new RegExp(`^(${prefix})(${source})$`, 's');
  return {
    operation,
    entry,
    match(path) {
      const found = exact.exec(path);
      if (!found) return undefined;
      const parameters: Record<string, string> = {};
      for (let i = 0; i < names.length; i++) parameters[names[i] as string] = found[i + 3] as string;
      return { parameters, base: found[1] as string, path: found[2] as `/${string}` };
    },
    loose: looseTemplate(base, path),
    anywhere: looseTemplate(undefined, path),
  };
}

/** Names of a template's parameters, in order. */
export function parametersIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

/** Tells which record a request's URL is that of, whatever the method; undefined where it is none's. */
export type RecordMatcher = (url: string) => RecordName | undefined;

export function createRecordMatcher(entries: Entries): RecordMatcher {
  const templates = templatesOf(entries).filter(({ entry }) => isRecordKind(entry.record?.kind ?? ''));
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

/** Tells whether some server may take a URL for that of a record of these kinds, however oddly it is written. */
export function createLooseRecordMatcher(
  entries: Entries,
  kinds: ReadonlySet<string | undefined>,
): (url: string) => boolean {
  const templates = templatesOf(entries).filter(({ entry }) => entry.record && kinds.has(entry.record.kind));
  return (url) => {
    const readings = readingsOf(splitTarget(url).path);
    return templates.some(({ loose }) => mayBe(loose, readings));
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
