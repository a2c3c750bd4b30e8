import { splitTarget } from '../http/http.ts';
import type { OperationEntry, ParameterForm } from '../model/contract.ts';
import { isRecordKind, type RecordName } from '../model/record.ts';
import { type Template, templateOf } from './template.ts';

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
 * none of what the operation takes: nobody can say which record that is.
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
