import type { Contract, LoadedOperation } from './contract/load-contract.ts';
import { createMatcher, type Match } from './contract/match-operation.ts';
import { mayNameMethod } from './contract/method-in-body.ts';
import { readBody } from './contract/read-body.ts';
import type { RequestRule } from './contract/request-rules.ts';
import { PatchgateError } from './errors.ts';
import type { RawFinding, Verdict } from './model/finding.ts';
import { FindingBounds } from './model/finding-bounds.ts';
import type { RequestHead } from './model/http.ts';
import type { JsonValue } from './model/json.ts';
import { createPolicy, type PolicyOptions } from './policy.ts';
import { type BoundRule, bindRules } from './rules/bind-rules.ts';

/** A request as the gate reads it. */
export interface GateRequest extends RequestHead {
  /** The bytes as sent, content coding included. `too-large`: there were more than the limit, and nothing was read. */
  body: Uint8Array | 'too-large';
}

export interface Inspection {
  verdict: Verdict;
  /** The body as a value, where it could be read. */
  json: JsonValue | undefined;
}

export interface Gate {
  /** What operation could be meant, so that the body is to be read and judged; undefined: none. */
  match(head: RequestHead): Match | undefined;
  /** Judges one request. Pure: no I/O, no clock; never throws. One that means no operation passes.
   *  @param match what `match` said of it, where that was asked already */
  inspect(request: GateRequest, match?: Match): Inspection;
  /** Judges a body as an operation's, whatever its path and headers.
   *  @throws PatchgateError `bad-usage` where the contract has no such operation */
  inspectBody(operation: string, body: Uint8Array): Inspection;
  /** Names of the contract's operations. */
  readonly operations: readonly string[];
  /** Bytes of a body that are read at most. */
  readonly bodyLimit: number;
}

export interface GateOptions extends PolicyOptions {
  /** The only paths that the operations follow; without any, they match after every prefix. */
  basePaths?: readonly string[];
  /** Bytes that a body may have, before and after decoding. */
  bodyLimit: number;
  /** Compile a schema only when it is first needed, for a command that judges a few bodies and ends. */
  lazy?: boolean;
}

const NOTHING: Inspection = { verdict: { outcome: 'pass', findings: [], omitted: 0 }, json: undefined };
const JSON_HEADERS = ['content-type', 'application/json'];

/**
 * Builds the gate. Fails closed: each schema and rule is tried with a known-bad example before anything is judged.
 *
 * @throws PatchgateError `bad-contract` where something does not load or lets its canary pass, `bad-config` where the
 *   options name an unknown rule
 */
export function createGate(contract: Contract, options: GateOptions): Gate {
  const operations = Object.keys(contract.entries);
  const decide = createPolicy(options);
  const matcher = createMatcher(contract.entries, {
    basePaths: options.basePaths ?? [],
    unlisted: decide.reportsUnlisted,
  });
  const match = (head: RequestHead) => (decide.judges ? matcher(head) : undefined);
  const ready = new Map<string, { operation: LoadedOperation; rules: readonly BoundRule[] }>();

  const load = (name: string) => {
    const known = ready.get(name);
    if (known) return known;
    const operation = contract.load(name);
    const loaded = { operation, rules: bindRules(operation.entry.rules, contract.file) };
    tryCanary(contract.file, operation);
    ready.set(name, loaded);
    return loaded;
  };
  if (!options.lazy) for (const name of operations) load(name);

  const judge = (match: Match, request: GateRequest): Inspection => {
    if (match.isByBody && !mayNameMethod(request.body, request.headers, options.bodyLimit)) return NOTHING;
    if (match.operation === undefined)
      return { verdict: decide(undefined, blinding(match.findings, BLINDING_HEADS)), json: undefined };
    const { operation, rules } = load(match.operation);
    const read = readBody(request.body, request.headers, {
      limit: options.bodyLimit,
      shape: operation.shape,
      blocks: decide.blocks,
    });
    const findings: RawFinding[] = [];
    const isGuarded = rules.some(({ guards }) => guards);
    append(findings, blinding(match.findings, BLINDING_HEADS));
    append(findings, isGuarded ? blinding(read.findings, BLINDING_BODIES) : read.findings);
    const bounds = new FindingBounds();
    if (read.json !== undefined) {
      const said = operation.check(read.json, bounds);
      append(findings, isGuarded ? blinding(said, LOOSE_NAMES) : said);
      const recordId = match.parameters[operation.entry.record.id] ?? '';
      for (const rule of rules) append(findings, rule.check(read.json, recordId, bounds));
    }
    const omitted = read.omitted + bounds.omitted;
    return { verdict: decide(operation.name, findings, omitted, read.text), json: read.json };
  };

  return {
    operations,
    bodyLimit: options.bodyLimit,
    match,
    inspect(request, known = match(request)) {
      return known ? judge(known, request) : NOTHING;
    },
    inspectBody(name, body) {
      if (!Object.hasOwn(contract.entries, name)) {
        throw new PatchgateError('bad-usage', `the contract has no operation ${JSON.stringify(name)}`, {
          hint: `operations: ${operations.join(', ')}`,
        });
      }
      const head = { method: '', url: '', headers: JSON_HEADERS };
      return judge({ operation: name, parameters: {}, findings: [] }, { ...head, body });
    },
  };
}

/** Readers that take names loosely read another body than others do. */
const LOOSE_NAMES: ReadonlySet<string> = new Set(['schema.field-case']);

/** What keeps the guard from knowing which record a PATCH changes; and, of a guarded operation, in what way. */
const BLINDING_HEADS: ReadonlySet<string> = new Set<RequestRule>([
  'request.ambiguous-path',
  'request.ambiguous-header',
]);
const BLINDING_BODIES: ReadonlySet<string> = new Set<RequestRule>([
  'request.content-encoding',
  'request.content-type',
  'request.json',
  'request.duplicate-key',
  'request.unsafe-key',
  'request.unsafe-number',
  'request.too-large',
]);

function blinding(findings: readonly RawFinding[], rules: ReadonlySet<string>): readonly RawFinding[] {
  if (findings.length === 0) return findings;
  return findings.map((finding) =>
    finding.severity === 'error' && rules.has(finding.rule) ? { ...finding, isBlinding: true } : finding,
  );
}

/** Nearly always there is nothing to add, and a spread of nothing costs as much as a small rule. */
function append(all: RawFinding[], some: readonly RawFinding[]): void {
  for (let i = 0; i < some.length; i++) all.push(some[i] as RawFinding);
}

/** A schema that lets its own known-bad body pass checks nothing. */
function tryCanary(file: string, { name, entry, check }: LoadedOperation): void {
  const { body, rule, pointer } = entry.canary;
  if (check(body).some((finding) => finding.rule === rule && finding.pointer === pointer)) return;
  throw new PatchgateError(
    'bad-contract',
    `${file}: the schema of ${name} lets its canary pass: no ${rule} at ${pointer}`,
    {
      hint: 'correct the schema, or the canary in contract.json',
    },
  );
}
