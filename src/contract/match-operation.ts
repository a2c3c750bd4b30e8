import type { OperationEntry } from '../model/contract.ts';
import type { Finding } from '../model/finding.ts';
import { headerValues, type RawHeaders, type RequestHead, splitTarget } from '../model/http.ts';
import { isPlain, looseReadings } from './path-readings.ts';
import { requestFinding } from './request-rules.ts';

/** The operation that a request could mean, and what its path and headers have against them. */
export interface Match {
  /** Undefined where it only goes below a judged record's path. */
  operation: string | undefined;
  /** The path's parameters as sent; empty where the path is ambiguous. */
  parameters: Record<string, string>;
  findings: Finding[];
}

export type Matcher = (head: RequestHead) => Match | undefined;

interface Template {
  operation: string;
  entry: OperationEntry;
  exact: RegExp;
  /** The same with literal segments in any letter case. */
  folded: RegExp;
  /** The record's path and something below it. */
  below: RegExp;
}

const OVERRIDE_HEADERS = ['x-http-method-override', 'x-http-method', 'x-method-override'];
const PATH_HEADERS = ['x-original-url', 'x-rewrite-url'];

/**
 * Tells which operation a request means, reading its path, method and headers as the loosest server would.
 *
 * @param basePaths the only paths that the templates follow; without any, they match after every prefix
 */
export function createMatcher(
  entries: Readonly<Record<string, OperationEntry>>,
  basePaths: readonly string[] = [],
): Matcher {
  const templates = Object.entries(entries).map(([operation, entry]) =>
    templateOf(operation, entry, basePaths),
  );
  const methods = new Set(templates.map(({ entry }) => entry.method));
  return (head) => {
    const { path, query } = splitTarget(head.url);
    const overrides = overridesOf(head.headers, query);
    // Most requests end here: no operation has their method, and nothing gives them another.
    if (!methods.has(head.method) && overrides.size === 0 && !hasAny(head.headers, PATH_HEADERS))
      return undefined;
    const meant = (entry: OperationEntry) => entry.method === head.method || overrides.has(entry.method);
    return matchPath(templates, meant, path, head.headers);
  };
}

function matchPath(
  templates: readonly Template[],
  meant: (entry: OperationEntry) => boolean,
  path: string,
  headers: RawHeaders,
): Match | undefined {
  const candidates = templates.filter(({ entry }) => meant(entry));
  const plain = isPlain(path.endsWith('/') ? path.slice(0, -1) : path);
  if (plain) {
    for (const template of candidates) {
      const match = template.exact.exec(path);
      if (match) {
        const parameters = { ...match.groups } as Record<string, string>;
        return {
          operation: template.operation,
          parameters,
          findings: [...checkParameters(template.entry, parameters), ...checkHeaders(headers)],
        };
      }
    }
  }
  const readings = plain ? [path.replace(/\/$/, '')] : looseReadings(path);
  for (const reading of readings) {
    const template = candidates.find(({ folded }) => folded.test(reading));
    if (template) return ambiguous(template, path, headers);
  }
  // Headers that some servers take for the path are judged as if they were it.
  for (const name of PATH_HEADERS) {
    for (const value of valuesOf(headers, name)) {
      const other = splitTarget(value).path;
      const template = templates.find(({ folded }) =>
        [other, ...looseReadings(other)].some((text) => folded.test(text)),
      );
      if (template) return { operation: template.operation, parameters: {}, findings: checkHeaders(headers) };
    }
  }
  for (const reading of readings) {
    const template = candidates.find(({ below }) => below.test(reading));
    if (template) return { operation: undefined, parameters: {}, findings: [unlisted(template)] };
  }
  return undefined;
}

function ambiguous({ operation, entry }: Template, path: string, headers: RawHeaders): Match {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  const finding = requestFinding(
    'request.ambiguous-path',
    `the path ${JSON.stringify(shown)} is not written plainly, yet a server may read it as ${entry.path} (${operation})`,
    {
      hint: `write it as ${entry.path}, without coded characters, dot segments, doubled slashes or parameters, in this letter case`,
    },
  );
  return { operation, parameters: {}, findings: [finding, ...checkHeaders(headers)] };
}

function unlisted({ entry }: Template): Finding {
  return requestFinding(
    'request.unlisted-operation',
    `no operation of the contract is ${entry.method} below ${entry.path}, so nobody can judge it`,
    { hint: 'add the operation to the contract, or run with --unlisted pass' },
  );
}

function checkParameters(entry: OperationEntry, parameters: Record<string, string>): Finding[] {
  const findings: Finding[] = [];
  for (const [name, form] of Object.entries(entry.parameters)) {
    const value = parameters[name] as string;
    if (form.type === 'string' || form.keywords?.includes(value)) continue;
    const isInteger = /^(?:0|-?[1-9][0-9]*)$/.test(value);
    if (isInteger && (form.type === 'integer' || isInt32(value))) continue;
    const words = form.keywords ? `${form.keywords.map((word) => `"${word}"`).join(', ')} or ` : '';
    const kind = form.type === 'int32' ? 'a 32-bit integer' : 'an integer';
    findings.push(
      requestFinding(
        'request.path-parameter',
        `${name} in the path must be ${words}${kind}, not ${JSON.stringify(value.slice(0, 80))}`,
        {
          hint: 'write it in decimal, without sign or leading zeros',
          ...(form.source === undefined ? {} : { source: form.source }),
        },
      ),
    );
  }
  return findings;
}

function isInt32(decimal: string): boolean {
  return decimal.length <= 11 && Number(decimal) === (Number(decimal) | 0);
}

function checkHeaders(headers: RawHeaders): Finding[] {
  const findings: Finding[] = [];
  for (const name of PATH_HEADERS) {
    if (valuesOf(headers, name).length > 0) {
      findings.push(
        requestFinding('request.ambiguous-path', `the header ${name} can give the request another path`, {
          hint: 'leave it out',
        }),
      );
    }
  }
  if (valuesOf(headers, 'content-type').length > 1) {
    findings.push(
      requestFinding('request.ambiguous-header', 'Content-Type is given more than once', {
        hint: 'give it once',
      }),
    );
  }
  return findings;
}

/** The methods that the request could be turned into, in capitals. */
function overridesOf(headers: RawHeaders, query: string): Set<string> {
  const methods = new Set<string>();
  for (const name of OVERRIDE_HEADERS) {
    for (const value of valuesOf(headers, name)) {
      for (const method of value.split(',')) methods.add(method.trim().toUpperCase());
    }
  }
  if (query !== '') {
    for (const [name, value] of new URLSearchParams(query)) {
      if (name.toLowerCase().startsWith('_method')) methods.add(value.trim().toUpperCase());
    }
  }
  return methods;
}

/** A header's values under any name that a CGI-like server folds into it: letter case aside, `_` is read as `-`. */
function valuesOf(headers: RawHeaders, name: string): string[] {
  const values = headerValues(headers, name);
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const sent = headers[i] as string;
    if (sent.includes('_') && sent.toLowerCase().replaceAll('_', '-') === name)
      values.push(headers[i + 1] as string);
  }
  return values;
}

function hasAny(headers: RawHeaders, names: readonly string[]): boolean {
  return names.some((name) => valuesOf(headers, name).length > 0);
}

function templateOf(operation: string, entry: OperationEntry, basePaths: readonly string[]): Template {
  const source = entry.path
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? `(?<${part.slice(1, -1)}>[^/]+)` : literal(part)))
    .join('');
  const prefix =
    basePaths.length > 0
      ? `(?:${basePaths.map((base) => literal(base.replace(/\/+$/, ''))).join('|')})`
      : '(?:/.*)?';
  return {
    operation,
    entry,
    exact: new RegExp(`^${prefix}${source}/?$`),
    folded: new RegExp(`^${prefix}${source}/?$`, 'i'),
    below: new RegExp(`^${prefix}${source}/.+$`, 'i'),
  };
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
