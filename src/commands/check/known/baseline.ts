import { readFile } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { PatchgateError, systemCode, whyUnreadable } from '../../../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../json/json.ts';
import { findPlace, type Place, placeAt, syntaxErrorOf } from '../../../json/json-text.ts';
import { STDIN_NAME } from '../../../reporters/report.ts';

const BASELINE_VERSION = 1;

/** Findings that are known, alike in all that they are known by. */
export interface KnownFindings {
  /** Relative to the baseline's folder, `/` between folders; `<stdin>` for standard input. */
  file: string;
  /** For people: `PATCH /accounts/196/projects/42`, or the operation of a body alone. */
  request: string;
  /** For people. Absent of those that were left out of a request's findings, where there were very many. */
  rule?: string;
  pointer?: string;
  /** Of those: the rules that were not left out. Each rule that finds something has at least one that is not. */
  rules?: readonly string[];
  /** What they are known by in their file: `identityOf` of reporters/fingerprint.ts. */
  fingerprint: string;
  /** How many; absent: one. */
  count?: number;
}

/**
 * Reads a baseline: `{ "version": 1, "findings": […] }`.
 *
 * @param name for messages
 * @returns undefined where there is none
 * @throws PatchgateError `bad-input`, with line and column where it is broken
 */
export async function readBaseline(file: string, name: string): Promise<KnownFindings[] | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw new PatchgateError('bad-input', `cannot read the baseline ${name}: ${whyUnreadable(error)}`, {
      cause: error,
    });
  }
  return parseBaseline(text.replace(/^\ufeff/, ''), name);
}

function parseBaseline(text: string, name: string): KnownFindings[] {
  const broken = ({ line, column }: Place, what: string, hint = REWRITE) =>
    new PatchgateError('bad-input', `${name}:${line}:${column}: ${what}`, { hint });
  const wrong = syntaxErrorOf(text);
  if (wrong) throw broken(placeAt(text, wrong.offset), `the baseline is no JSON: ${wrong.message}`);
  const content = JSON.parse(text) as JsonValue;
  const fail = (pointer: string, what: string, hint?: string) => broken(findPlace(text, pointer), what, hint);
  if (!isObject(content)) throw fail('', 'a baseline is an object');
  const { version, findings } = content;
  if (typeof version === 'number' && version > BASELINE_VERSION) {
    const what = `the baseline is of version ${version}, this Patchgate reads version ${BASELINE_VERSION}`;
    throw fail('/version', what, 'update patchgate');
  }
  if (version !== BASELINE_VERSION) throw fail('/version', `version must be ${BASELINE_VERSION}`);
  if (!Array.isArray(findings)) throw fail('/findings', 'findings must be a list');
  for (const [index, entry] of findings.entries()) {
    const at = `/findings/${index}`;
    if (!isObject(entry)) throw fail(at, `${at} must be an object`);
    const member = wrongMemberOf(entry);
    if (member) throw fail(`${at}/${member.name}`, `${at}/${member.name} must be ${member.takes}`);
  }
  return findings as unknown as KnownFindings[];
}

const REWRITE = 'correct it, or delete it and write it again with --write-baseline';

const isText = (value: unknown) => typeof value === 'string';
const isTextOrAbsent = (value: unknown) => value === undefined || isText(value);
const MEMBERS: Readonly<Record<keyof KnownFindings, { takes: string; check(value: unknown): boolean }>> = {
  file: { takes: 'a text', check: isText },
  request: { takes: 'a text', check: isText },
  rule: { takes: 'a text', check: isTextOrAbsent },
  pointer: { takes: 'a text', check: isTextOrAbsent },
  rules: {
    takes: 'a list of texts',
    check: (value) => value === undefined || (Array.isArray(value) && value.every(isText)),
  },
  fingerprint: {
    takes: '32 hexadecimal digits',
    check: (value) => typeof value === 'string' && /^[0-9a-f]{32}$/.test(value),
  },
  count: {
    takes: 'a whole number from 1 on',
    check: (value) => value === undefined || (Number.isSafeInteger(value) && (value as number) >= 1),
  },
};

function wrongMemberOf(entry: JsonObject): { name: string; takes: string } | undefined {
  const wrong = Object.entries(MEMBERS).find(([name, { check }]) => !check(entry[name]));
  return wrong && { name: wrong[0], takes: wrong[1].takes };
}

/** The text of a baseline: sorted, a line for each entry, so that a change of it is easy to review. */
export function baselineText(findings: readonly KnownFindings[]): string {
  const lines = findings.toSorted(inOrder).map((entry) => `\n    ${JSON.stringify(entry)}`);
  const list = lines.length === 0 ? '[]' : `[${lines.join(',')}\n  ]`;
  return `{\n  "version": ${BASELINE_VERSION},\n  "findings": ${list}\n}\n`;
}

const ORDER = ['file', 'request', 'pointer', 'rule', 'fingerprint'] as const;

function inOrder(a: KnownFindings, b: KnownFindings): number {
  for (const name of ORDER) {
    const [left = '', right = ''] = [a[name], b[name]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** The name that a judged file has in a baseline. */
export function nameInBaseline(file: string, cwd: string, baseline: string): string {
  if (file === STDIN_NAME) return file;
  return relative(resolve(baseline, '..'), resolve(cwd, file)).replaceAll(sep, '/');
}
