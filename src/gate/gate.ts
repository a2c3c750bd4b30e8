import {
  type Contract,
  type JudgedBody,
  type LoadedOperation,
  refusesSomething,
} from '../contract/contract.ts';
import { createMatcher, type Match } from '../contract/match-operation.ts';
import { mayNameMethod, type ReadBody, readBody } from '../contract/read-body.ts';
import { REQUEST_RULES, type RequestRule, requestFinding } from '../contract/request-rules.ts';
import {
  createLooseRecordMatcher,
  createRecordMatcher,
  type RecordMatcher,
  recordNamed,
} from '../contract/template.ts';
import { PatchgateError } from '../errors.ts';
import { header, type RequestHead, splitTarget } from '../http/http.ts';
import type { JsonValue } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';
import type { Effect } from '../model/effect.ts';
import type { RawFinding, Verdict } from '../model/finding.ts';
import { FindingBounds } from '../model/finding-bounds.ts';
import {
  isRecordKind,
  type Known,
  type ListName,
  type RecordKind,
  type RecordName,
} from '../model/record.ts';
import type { Rule } from '../model/rule.ts';
import { type BoundRule, bindCustomRules, bindRules } from '../rules/bind-rules.ts';
import { RULES } from '../rules/index.ts';
import { memberAt } from '../schemas/check.ts';
import { effectsOf } from '../state/effects.ts';
import { admitCustomRules, type CatalogueEntry, catalogueOf } from './catalogue.ts';
import { decideDeletion, type GuardPolicyOptions } from './guard-policy.ts';
import { bindOverrides, type OverridesOptions } from './overrides.ts';
import { type PolicyOptions, verdictOf } from './policy.ts';

/** A request as the gate reads it. */
export interface GateRequest extends RequestHead {
  /** The bytes as sent, content coding included. `too-large`: there were more than the limit, and nothing was read. */
  body: Uint8Array | 'too-large';
}

/** What the gate is told beside the request: it finds out nothing itself. */
export interface Circumstances {
  /** The record before the request, as far as it is known. */
  known?: Known | undefined;
  /** Why the record could not be read before the request, where that was tried and failed. */
  unread?: string | undefined;
  /** What the client has to say to what the request loses: it is approved, or why what was sent as an approval is none. */
  approval?: 'approved' | { refused: string; hint: string } | undefined;
  /** Absolute name of the file that holds the request, where it comes from one. */
  file?: string | undefined;
}

export interface Inspection {
  verdict: Verdict;
  /** The body as a value, where it could be read. */
  json: JsonValue | undefined;
  /** All that the request does to its record; absent where nothing is known of it. The verdict has the first of them. */
  effects?: readonly Effect[];
  /** It is blocked for what it loses alone, and passes once that is approved. */
  isApprovable?: true;
}

export interface Gate {
  /** What operation could be meant, so that the body is to be read and judged; undefined: none. */
  match(head: RequestHead): Match | undefined;
  /** Judges one request. Pure: no I/O, no clock; never throws. One that means no operation passes.
   *  @param match what `match` said of it, where that was asked already */
  inspect(request: GateRequest, match?: Match, circumstances?: Circumstances): Inspection;
  /** Judges a body as an operation's, whatever its path and headers.
   *  @throws PatchgateError `bad-usage` where the contract has no such operation */
  inspectBody(operation: string, body: Uint8Array, circumstances?: Circumstances): Inspection;
  /** The record that a request of any method is about, by its URL. */
  recordAt: RecordMatcher;
  /** The list of records that a URL names: a record's path without its id. */
  listAt(url: string): ListName | undefined;
  /** The operation that a request means, whether it is judged or not. */
  operationOf(head: RequestHead): string | undefined;
  /** The record that a judged request changes; undefined where its path does not say, or the contract has no such records. */
  recordOf(match: Match): RecordName | undefined;
  /** What kind of record an operation changes; undefined where nothing is known of such records, or there is no such operation. */
  kindOf(operation: string): RecordKind | undefined;
  /** Whether a PATCH of such records may lose something for good: its operation has rules that guard. */
  guards(kind: RecordKind): boolean;
  /** Whether some server may take a URL for that of such a record. */
  guardsAt(url: string): boolean;
  /** Names of the contract's operations. */
  readonly operations: readonly string[];
  /** Every rule that can find something, with its own severity; but those of keywords that only another contract's schemas use. */
  readonly rules: readonly CatalogueEntry[];
  /** Bytes of a body that are read at most. */
  readonly bodyLimit: number;
}

export interface GateOptions extends PolicyOptions, OverridesOptions, GuardPolicyOptions {
  /** Bytes that a body may have, before and after decoding. */
  bodyLimit: number;
  /** Further rules, by the operation that they apply to. */
  customRules?: Readonly<Record<string, readonly Rule[]>>;
  /** Judge even where nothing could come of it but effects: somebody keeps account of these. */
  tellsEffects?: boolean;
  /** Compile a schema only when it is first needed, for a command that judges a few bodies and ends. */
  lazy?: boolean;
}

const NOTHING: Inspection = { verdict: { outcome: 'pass', findings: [], omitted: 0 }, json: undefined };
const NO_BODY: ReadBody = { findings: [], omitted: 0 };
const JSON_HEADERS = ['content-type', 'application/json'];
/** UTF-16 code units of a body of which the schema says the first error alone. */
const LARGE = 65_536;
/** Effects that a verdict holds at most; what is lost comes first. */
const MOST_EFFECTS = 100;

/**
 * Builds the gate. Fails closed: each schema and rule is tried with a known-bad example before anything is judged.
 *
 * @throws PatchgateError `bad-contract` where something does not load or lets its canary pass, `bad-config` where the
 *   options name an unknown rule, or hold one that does not work
 */
export function createGate(contract: Contract, options: GateOptions): Gate {
  const { file, entries } = contract;
  const { customRules = {}, placeOf = memberAt, bodyLimit } = options;
  const operations = Object.keys(entries);
  admitCustomRules(customRules, operations, placeOf);
  const rules = catalogueOf(customRules);
  const severitiesOf = bindOverrides(
    options,
    rules,
    Object.values(entries).map(({ path }) => path),
  );
  const decideOn = decideDeletion(options);
  const protects = (options.protect ?? []).length > 0;
  if (protects) checkProtecting(contract);
  const matcher = createMatcher(entries);
  const judges = options.validation !== 'off' || options.guard !== 'off' || options.tellsEffects;
  const match = (head: RequestHead) => (judges ? matcher(head) : undefined);
  const entryOf = (name: string | undefined) =>
    name !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;

  const ready = new Map<string, { operation: LoadedOperation; bound: readonly BoundRule[] }>();
  const load = (name: string) => {
    const known = ready.get(name);
    if (known) return known;
    const operation = contract.load(name);
    const bound = bindRules(operation.entry.rules, file);
    const own = Object.hasOwn(customRules, name) ? customRules[name] : undefined;
    const place = (index: number) => placeOf(pointerOf(['customRules', name, index]));
    if (own?.length) bound.push(bindCustomRules(own, place));
    tryCanary(file, operation);
    const loaded = { operation, bound };
    ready.set(name, loaded);
    return loaded;
  };
  if (!options.lazy) operations.forEach(load);

  const judge = (meant: Match, request: GateRequest, circumstances: Circumstances): Inspection => {
    const { known, unread, approval, file: inFile } = circumstances;
    if (meant.isByBody && !mayNameMethod(request.body, request.headers, bodyLimit)) return NOTHING;
    const severities = () => severitiesOf(meant.path, inFile);
    if (meant.operation === undefined) {
      const blind = blinding(meant.findings, BLINDING_HEADS);
      return { verdict: verdictOf(options, undefined, blind, { severities }), json: undefined };
    }
    const { operation, bound } = load(meant.operation);
    const { entry, name } = operation;
    const { body, mistyped } = bodyOf(operation, request);
    const isLeftOut = entry.body === 'optional' && request.body.length === 0;
    const read = isLeftOut
      ? NO_BODY
      : readBody(request.body, request.headers, bodyLimit, body.shape, body.mediaType);
    const isGuarded = bound.some(({ guards }) => guards);
    const isNamed = !isGuarded || recordNamed(entry, meant.parameters, meant.base) !== undefined;
    const findings: RawFinding[] = [];
    append(findings, blinding(meant.findings, isNamed ? BLINDING_HEADS : BLINDING_PATHS));
    append(findings, isGuarded ? blinding(read.findings, BLINDING_BODIES) : read.findings);
    if (mistyped && !isLeftOut) findings.push(mistyped);
    const bounds = new FindingBounds();
    const kind = entry.record?.kind ?? '';
    let effects: readonly Effect[] | undefined;
    if (read.json !== undefined) {
      const said = body.check(read.json, bounds, (read.text as string).length > LARGE);
      append(findings, isGuarded ? blinding(said, LOOSE_NAMES) : said);
      if (known && isRecordKind(kind)) effects = effectsOf(kind, known.record, read.json, decideOn);
      const recordId = meant.parameters[entry.record?.id ?? ''] ?? '';
      const context = { body: read.json, recordId, known, unread, effects };
      const hasEffects = effects !== undefined && effects.length > 0;
      for (const rule of bound)
        if (hasEffects || !rule.readsEffects) append(findings, rule.check(context, bounds));
    }
    const isInFile = inFile !== undefined;
    // What is judged in a file is not on its way to a service.
    const mayProtect = protects && kind === 'project' && !isInFile && read.json !== undefined;
    const isApproved = approval === 'approved';
    const refused = approval && !isApproved ? approval : undefined;
    const all = refused
      ? [...findings, requestFinding('request.approval', refused.refused, { hint: refused.hint })]
      : findings;
    const omitted = read.omitted + bounds.omitted;
    const judged = { severities, mayProtect, isInFile, isApproved, omitted, text: read.text };
    const verdict = verdictOf(options, name, all, judged);
    const inspection: Inspection = { verdict, json: read.json };
    if (effects) inspection.effects = effects;
    if (effects?.length) {
      verdict.effects = effects.slice(0, MOST_EFFECTS);
      if (effects.length > MOST_EFFECTS) verdict.effectsOmitted = effects.length - MOST_EFFECTS;
    }
    const isLosing = verdict.problem === 'destructive-change';
    if (isLosing && verdictOf(options, name, findings, { ...judged, isApproved: true }).outcome === 'pass')
      inspection.isApprovable = true;
    return inspection;
  };

  const guarding = new Set(RULES.filter(({ guards }) => guards).map((rule) => rule.name));
  const isGuarded = (name: string) =>
    namesOf(entries, name).some((rule) => guarding.has(rule)) ||
    (Object.hasOwn(customRules, name) && customRules[name]?.some(({ guards }) => guards));
  const guarded = new Set(operations.filter(isGuarded).map((name) => entries[name]?.record?.kind));
  const recordAt = createRecordMatcher(entries);
  return {
    ...{ operations, rules, bodyLimit, match, recordAt },
    operationOf: (head) => matcher(head)?.operation,
    // Any id will do.
    listAt: (url) => recordAt(`${splitTarget(url).path.replace(/\/$/, '')}/0`),
    recordOf({ operation, parameters, base }) {
      const entry = entryOf(operation);
      return entry && recordNamed(entry, parameters, base);
    },
    kindOf(name) {
      const kind = entryOf(name)?.record?.kind ?? '';
      return isRecordKind(kind) ? kind : undefined;
    },
    guards: (kind) => guarded.has(kind),
    guardsAt: createLooseRecordMatcher(entries, guarded),
    inspect: (request, meant = match(request), circumstances = {}) =>
      meant ? judge(meant, request, circumstances) : NOTHING,
    inspectBody(name, body, circumstances = {}) {
      const hint = `operations: ${operations.join(', ')}`;
      if (!entryOf(name))
        throw new PatchgateError('bad-usage', `the contract has no operation ${JSON.stringify(name)}`, {
          hint,
        });
      const request = { method: '', url: '', headers: JSON_HEADERS, body };
      return judge({ operation: name, parameters: {}, findings: [] }, request, circumstances);
    },
  };
}

function namesOf(entries: Contract['entries'], operation: string): string[] {
  const rules = entries[operation]?.rules ?? [];
  return rules.map((rule) => (typeof rule === 'string' ? rule : rule.name));
}

/** Nearly always there is nothing to add, and a spread of nothing costs as much as a small rule. */
function append(all: RawFinding[], some: readonly RawFinding[]): void {
  for (let i = 0; i < some.length; i++) all.push(some[i] as RawFinding);
}

const PROTECTING = ['project.environment-deleted', 'project.environment-replaced', 'project.state-unknown'];

/** What is protected is so by these rules. */
function checkProtecting({ file, entries }: Contract): void {
  for (const [operation, { record }] of Object.entries(entries)) {
    const missing = PROTECTING.find((rule) => !namesOf(entries, operation).includes(rule));
    if (record?.kind !== 'project' || missing === undefined) continue;
    const message = `environments are to be protected, and ${operation} in ${file} lacks the rule ${missing}`;
    const hint = `add ${PROTECTING.join(', ')} to its rules, or leave out --protect`;
    throw new PatchgateError('bad-config', message, { hint });
  }
}

/** The schema that a body is held against, by its type; with a finding where the contract lists others. */
function bodyOf(
  { bodies }: LoadedOperation,
  { headers }: GateRequest,
): { body: JudgedBody; mistyped?: RawFinding } {
  const [first] = bodies;
  if (first.mediaType === undefined) return { body: first };
  const type = header(headers, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  const body = type ? bodies.find(({ mediaType }) => mediaType === type) : first;
  if (body) return { body };
  const message = `Content-Type is ${JSON.stringify(type?.slice(0, 80))}, which the operation does not take`;
  const hint = `send one of: ${bodies.map(({ mediaType }) => mediaType).join(', ')}`;
  return { body: first, mistyped: requestFinding('request.content-type', message, { hint }) };
}

/** A schema that lets a known-bad body pass checks nothing. */
function tryCanary(file: string, { name, entry: { canary }, bodies }: LoadedOperation): void {
  const bad = (what: string, hint: string) =>
    new PatchgateError('bad-contract', `${file}: the schema of ${name} ${what}`, { hint });
  if (!canary) {
    if (bodies.every((body) => body.shape.isOpen || refusesSomething(body))) return;
    throw bad('refuses no body', 'correct the schema, or give the operation a canary');
  }
  const { body, rule, pointer } = canary;
  if (bodies[0].check(body).some((finding) => finding.rule === rule && finding.pointer === pointer)) return;
  const hint = 'correct the schema, or the canary in contract.json';
  throw bad(`lets its canary pass: no ${rule} at ${pointer}`, hint);
}

/** Readers that take names loosely read another body than others do. */
const LOOSE_NAMES: ReadonlySet<string> = new Set(['schema.field-case']);

/** What keeps the guard from knowing which record a PATCH changes; and, of a guarded operation, in what way. */
const BLINDING_HEADS: ReadonlySet<string> = new Set<RequestRule>([
  'request.ambiguous-path',
  'request.ambiguous-header',
]);
/** Where the path does not say which record that is. */
const BLINDING_PATHS: ReadonlySet<string> = new Set([...BLINDING_HEADS, 'request.path-parameter']);
const BLINDING_BODIES: ReadonlySet<string> = new Set(
  Object.keys(REQUEST_RULES).filter((rule) => !BLINDING_PATHS.has(rule) && rule !== 'request.approval'),
);

/** The findings, of which the errors of these rules keep the guard from seeing what is lost. */
function blinding(findings: readonly RawFinding[], rules: ReadonlySet<string>): readonly RawFinding[] {
  if (findings.length === 0) return findings;
  return findings.map((finding) =>
    finding.severity === 'error' && rules.has(finding.rule) ? { ...finding, isBlinding: true } : finding,
  );
}
