import { splitTarget } from '../http/http.ts';
import type { OperationEntry, ParameterForm } from '../model/contract.ts';
import type { Finding } from '../model/finding.ts';
import { isRecordKind, type RecordName } from '../model/record.ts';
import type { Contract } from './contract.ts';
import { readingsOf, templatesOf } from './path.ts';
import { requestFinding } from './request-rules.ts';

type Values = Readonly<Record<string, string>>;

export function checkParameters({ parameters }: OperationEntry, values: Values): Finding[] | undefined {
  let findings: Finding[] | undefined;
  for (const name in parameters) {
    const form = parameters[name] as ParameterForm;
    const value = values[name] as string;
    if (form.keywords?.includes(value)) continue;
    const wanted = wantedOf(form, value);
    if (wanted === undefined) continue;
    const words = form.keywords ? `${form.keywords.map((word) => `"${word}"`).join(', ')} or ` : '';
    const message = `${name} in the path must be ${words}${wanted}, not ${JSON.stringify(value.slice(0, 80))}`;
    const basis = form.type !== 'string' && readAs(form, value) ? 'protocol' : 'stated';
    const source = form.source !== undefined && { source: form.source };
    const more = { hint: hintOf(form, value), basis, ...source } as const;
    findings ??= [];
    findings.push(requestFinding('request.path-parameter', message, more));
  }
  return findings;
}

const NUMBERS = { integer: 'an integer', int32: 'a 32-bit integer', integerOrKey: 'an integer or a key' };
const FORMATS = {
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i,
} as const;

/** Undefined if the value is right. A number has one way to be written, so that every server reads the same one. */
function wantedOf(form: ParameterForm, value: string): string | undefined {
  if (form.type !== 'string') return readAs(form, value) === value ? undefined : NUMBERS[form.type];
  const text = value.includes('%') ? decodeURIComponent(value) : value;
  if (form.enum && !form.enum.includes(text)) return `one of ${form.enum.join(', ')}`;
  if (form.pattern !== undefined && !new RegExp(form.pattern, 'u').test(text))
    return `a text that matches ${form.pattern}`;
  return form.format && !FORMATS[form.format].test(text) ? `a ${form.format}` : undefined;
}

function hintOf({ type }: ParameterForm, value: string): string {
  if (type === 'string') return 'correct the path';
  if (type !== 'integerOrKey' && KEY.test(value))
    return 'send the number; if the service takes keys too, give the parameter the type "integerOrKey" in the contract';
  return 'write it in decimal, without leading zeros or a plus sign';
}

/** A key of a record: unlike any number. */
const KEY = /^[A-Za-z_][\w.-]*$/;

/** A parameter as the loosest server would read it: `042` is 42. Undefined if it is none of what the operation takes. */
function readAs(form: ParameterForm | undefined, text: string | undefined): string | undefined {
  if (text === undefined || form === undefined || form.type === 'string') return text;
  if (/^(?:0|[1-9]\d{0,8})$/.test(text)) return text;
  const keyword = form.keywords?.find((word) => word.toLowerCase() === text.toLowerCase());
  if (keyword !== undefined) return keyword;
  if (form.type === 'integerOrKey' && KEY.test(text)) return text;
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const number = BigInt(text.replace('+', ''));
  return form.type === 'int32' && number !== BigInt.asIntN(32, number) ? undefined : String(number);
}

/** The record that an operation's parameters name. Undefined if they do not say which. */
export function recordNamed(entry: OperationEntry, values: Values, base?: string): RecordName | undefined {
  const { record, parameters: forms } = entry;
  const { kind = '', id = '', account = '' } = record ?? {};
  if (!isRecordKind(kind)) return undefined;
  const named = readAs(forms[id], values[id]);
  const inAccount = account === '' ? 'current' : readAs(forms[account], values[account]);
  if (named === undefined || inAccount === undefined) return undefined;
  return { base, account: inAccount, kind, id: named };
}

/** Tells which record a URL is that of, and whether some server may take it for one of the guarded kinds, whatever the method. */
export function createRecordMatchers(entries: Contract['entries'], guarded: ReadonlySet<string | undefined>) {
  const templates = templatesOf(entries).filter(({ entry }) => entry.record);
  const known = templates.filter(({ entry }) => isRecordKind(entry.record?.kind ?? ''));
  const guarding = templates.filter(({ entry }) => guarded.has(entry.record?.kind));
  return {
    recordAt(url: string): RecordName | undefined {
      const { path } = splitTarget(url);
      // A base URL that ends in a slash doubles one, which most servers do not mind.
      const bare = (path.endsWith('/') ? path.slice(0, -1) : path).replace(/\/{2,}/g, '/');
      for (const { entry, strict } of known) {
        const found = strict.exec(bare);
        if (found) return recordNamed(entry, found.groups ?? {}, found[1]);
      }
      return undefined;
    },
    guardsAt(url: string): boolean {
      const readings = readingsOf(splitTarget(url).path);
      return guarding.some(({ mayBe }) => mayBe(readings));
    },
  };
}
