import {
  type Contract,
  type JudgedBody,
  type LoadedOperation,
  refusesSomething,
  weighed,
} from '../contract/contract.ts';
import { createMatcher, type Match } from '../contract/match-operation.ts';
import { createRecordMatchers, recordNamed } from '../contract/parameters.ts';
import { mayNameMethod, type ReadBody, readBody } from '../contract/read-body.ts';
import { type RequestRule, requestFinding } from '../contract/request-rules.ts';
import { PatchgateError } from '../errors.ts';
import { header, type RequestHead } from '../http/http.ts';
import type { JsonValue } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';
import type { DecideDeletion, Effect } from '../model/effect.ts';
import type { RawFinding, Verdict } from '../model/finding.ts';
import { FindingBounds } from '../model/finding-bounds.ts';
import { nameMatcher } from '../model/name-pattern.ts';
import { isRecordKind, type Known, type RecordKind, type RecordName } from '../model/record.ts';
import type { Rule } from '../model/rule.ts';
import type { SeverityOverride } from '../model/severity-override.ts';
import { holdsPlaceholder } from '../recordings/redact/redacted.ts';
import { type BoundRule, bindCustomRules, bindRules } from '../rules/bind-rules.ts';
import { RULES } from '../rules/index.ts';
import { memberAt } from '../schemas/check.ts';
import { effectsOf } from '../state/effects.ts';
import { admitCustomRules, CATALOGUE, type CatalogueEntry } from './catalogue.ts';
import { bindOverrides } from './overrides.ts';
import { type PolicyOptions, verdictOf } from './policy.ts';

/** A request as the gate reads it. */
export interface GateRequest extends RequestHead {
  /** The bytes as sent, content coding included. `too-large`: there were more than the limit, and nothing was read. */
  body: Uint8Array | 'too-large';
}

/** All that the gate knows beside the request: it finds out nothing itself. */
export interface Circumstances {
  /** The record before the request, as far as it is known. */
  known?: Known | undefined;
  /** Why the record could not be read before the request, if that was tried and failed. */
  unread?: string | undefined;
  /** What the client has to say to what the request loses: it is approved, or why what was sent as an approval is none. */
  approval?: 'approved' | { refused: string; hint: string } | undefined;
  /** The body, if `read` has read it already. */
  body?: ReadBody | undefined;
  /** It is judged in a file, or a recording answers it: it is not on its way to a service. */
  isInFile?: boolean;
}

export interface Inspection {
  verdict: Verdict;
  /** The body as a value, if it could be read. */
  json: JsonValue | undefined;
  /** All that the request does to its record; absent if nothing is known of it. The verdict has the first of them. */
  effects?: readonly Effect[];
  /** It is blocked for what it loses alone, and passes once that is approved. */
  isApprovable?: true;
}

export interface Gate {
  /** What operation could be meant, so that the body is to be read and judged; undefined: none. */
  match(head: RequestHead): Match | undefined;
  /** Judges one request. Pure: no I/O, no clock; never throws. One that means no operation passes.
   *  @param match what `match` said of it, if that was asked already */
  inspect(request: GateRequest, match?: Match, circumstances?: Circumstances): Inspection;
  /** Reads the body as the operation that the request means takes it. */
  read(request: GateRequest, match: Match): ReadBody;
  /** The record that a request of any method is about, by its URL. */
  recordAt(url: string): RecordName | undefined;
  /** The operation that a request means, whether it is judged or not. */
  operationOf(head: RequestHead): string | undefined;
  /** The record that a judged request changes; undefined if its path does not say, or the contract has no such records. */
  recordOf(match: Match): RecordName | undefined;
  /** What kind of record an operation changes; undefined if nothing is known of such records, or there is no such operation. */
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

export interface GateOptions extends PolicyOptions {
  /** Bytes that a body may have, before and after decoding. */
  bodyLimit: number;
  /** Further rules, by the operation that they apply to. */
  customRules?: Readonly<Record<string, readonly Rule[]>>;
  /** Severities, for some requests or for all. */
  overrides?: readonly SeverityOverride[] | undefined;
  /** Names a JSON Pointer's place in the config, for messages. */
  placeOf?: ((pointer: string) => string) | undefined;
  /** Names of environments that may go without asking. */
  allowDelete?: readonly string[] | undefined;
  /** Names of environments that never go, although `allowDelete` has them. */
  protect?: readonly string[] | undefined;
  /** Judge even if nothing could come of it but effects: somebody keeps account of these. */
  tellsEffects?: boolean;
  /** Compile a schema only when it is first needed, for a command that judges a few bodies and ends. */
  lazy?: boolean;
}

const NOTHING: Inspection = { verdict: { outcome: 'pass', findings: [], omitted: 0 }, json: undefined };
const NO_BODY: ReadBody = { findings: [], omitted: 0 };
/** UTF-16 code units of a body of which the schema says the first error alone. */
const LARGE = 65_536;
/** Effects that a verdict holds at most; losses come first. */
const MOST_EFFECTS = 100;

/**
 * Builds the gate. Fails closed: each schema and rule is tried with a known-bad example before anything is judged.
 *
 * @throws PatchgateError `bad-contract` if something does not load or lets its canary pass, `bad-config` if the
 *   options name an unknown rule, or hold one that does not work
 */
export function createGate(contract: Contract, options: GateOptions): Gate {
  const { file, entries } = contract;
  const { customRules = {}, overrides = [], protect = [], placeOf = memberAt, bodyLimit } = options;
  const operations = Object.keys(entries);
  admitCustomRules(customRules, operations, placeOf);
  const rules = [...CATALOGUE, ...new Set(Object.values(customRules).flat())];
  const severitiesOf = bindOverrides(overrides, placeOf, rules, entries);
  const decideOn = decideDeletion(options);
  if (protect.length > 0) checkProtecting(contract);
  const matcher = createMatcher(entries);
  const judges = options.validation !== 'off' || options.guard !== 'off' || options.tellsEffects;
  const match = (head: RequestHead) => (judges ? matcher(head) : undefined);
  const byName = new Map(Object.entries(entries));
  const custom = new Map(Object.entries(customRules));

  const ready = new Map<string, { operation: LoadedOperation; bound: readonly BoundRule[] }>();
  const load = (name: string) => {
    const known = ready.get(name);
    if (known) return known;
    const operation = contract.load(name);
    const bound = bindRules(operation.entry.rules, file);
    const place = (index: number) => placeOf(pointerOf(['customRules', name, index]));
    const own = custom.get(name);
    if (own?.length) bound.push(bindCustomRules(own, place));
    tryCanary(file, operation);
    const loaded = { operation, bound };
    ready.set(name, loaded);
    return loaded;
  };
  if (!options.lazy) operations.forEach(load);

  const judge = (meant: Match, request: GateRequest, circumstances: Circumstances): Inspection => {
    const { known, unread, approval, isInFile = false } = circumstances;
    if (meant.isByBody && !mayNameMethod(request.body, request.headers, bodyLimit)) return NOTHING;
    const severities = () => severitiesOf(meant.path);
    if (meant.operation === undefined) {
      const said = meant.findings.map((finding) => blindingIf(BLINDING.has(finding.rule), finding));
      return { verdict: verdictOf(options, undefined, said, { severities }), json: undefined };
    }
    const { operation, bound } = load(meant.operation);
    const { entry, name } = operation;
    const { body, mistyped } = bodyOf(operation, request);
    const read = circumstances.body ?? readAs(operation, request, bodyLimit);
    const isGuarded = bound.some(({ guards }) => guards);
    const isNamed = !isGuarded || recordNamed(entry, meant.parameters, meant.base) !== undefined;
    const findings: RawFinding[] = [];
    for (const finding of meant.findings) {
      const isOfRecord = !isNamed && finding.rule === 'request.path-parameter';
      findings.push(blindingIf(isOfRecord || BLINDING.has(finding.rule), finding));
    }
    for (const finding of weighed(read, body)) findings.push(blindingIf(isGuarded, finding));
    if (mistyped && read !== NO_BODY) findings.push(mistyped);
    const bounds = new FindingBounds();
    const kind = entry.record?.kind ?? '';
    let effects: readonly Effect[] | undefined;
    if (read.json !== undefined) {
      // Readers that take names loosely read another body than others do.
      for (const finding of body.check(read.json, bounds, (read.text as string).length > LARGE))
        findings.push(blindingIf(isGuarded && finding.rule === 'schema.field-case', finding));
      if (known && kind === 'project') effects = effectsOf(known.record, read.json, decideOn);
      const recordId = meant.parameters[entry.record?.id ?? ''] ?? '';
      const context = { body: read.json, recordId, known, unread, effects };
      for (const rule of bound)
        if (effects?.length || !rule.readsEffects)
          for (const finding of rule.check(context, bounds)) findings.push(finding);
    }
    const mayProtect = protect.length > 0 && kind === 'project' && !isInFile && read.json !== undefined;
    const isApproved = approval === 'approved';
    const omitted = read.omitted + bounds.omitted;
    const judged = { severities, mayProtect, isInFile, isApproved, omitted, text: read.text };
    const { refused, hint = '' } = typeof approval === 'object' ? approval : {};
    const all = refused ? [...findings, requestFinding('request.approval', refused, { hint })] : findings;
    const verdict = verdictOf(options, name, all, judged);
    const inspection: Inspection = { verdict, json: read.json };
    if (effects) inspection.effects = effects;
    if (effects?.length) verdict.effects = effects.slice(0, MOST_EFFECTS);
    if (effects && effects.length > MOST_EFFECTS) verdict.effectsOmitted = effects.length - MOST_EFFECTS;
    const passesIf = (isApproved: boolean) =>
      verdictOf(options, name, findings, { ...judged, isApproved }).outcome === 'pass';
    const isLosing = verdict.problem === 'destructive-change' && !(refused && passesIf(false));
    if (isLosing && passesIf(true)) inspection.isApprovable = true;
    return inspection;
  };

  const guarding = new Set(RULES.filter(({ guards }) => guards).map((rule) => rule.name));
  const isGuarded = (name: string) =>
    namesOf(entries, name).some((rule) => guarding.has(rule)) ||
    custom.get(name)?.some(({ guards }) => guards);
  const guarded = new Set(operations.filter(isGuarded).map((name) => entries[name]?.record?.kind));
  return {
    ...{ operations, rules, bodyLimit, match },
    ...createRecordMatchers(entries, guarded),
    operationOf: (head) => matcher(head)?.operation,
    read: (request, meant) => readAs(load(meant.operation as string).operation, request, bodyLimit),
    recordOf({ operation, parameters, base }) {
      const entry = byName.get(operation ?? '');
      return entry && recordNamed(entry, parameters, base);
    },
    kindOf(name) {
      const kind = byName.get(name)?.record?.kind ?? '';
      return isRecordKind(kind) ? kind : undefined;
    },
    guards: (kind) => guarded.has(kind),
    inspect: (request, meant = match(request), circumstances = {}) =>
      meant ? judge(meant, request, circumstances) : NOTHING,
  };
}

/** Decides by its name what becomes of an environment. One that is not known (`""`), or is hidden, may be a protected one. */
function decideDeletion({ allowDelete = [], protect = [] }: GateOptions): DecideDeletion {
  const mayGo = nameMatcher(allowDelete);
  const isProtected = nameMatcher(protect);
  return (name) => {
    const isKnown = name !== '' && !holdsPlaceholder(name);
    if (isKnown ? isProtected(name) : protect.length > 0) return 'protect';
    return isKnown && mayGo(name) ? 'allow' : 'approve';
  };
}

function namesOf(entries: Contract['entries'], operation: string): string[] {
  return (entries[operation]?.rules ?? []).map((rule) => (typeof rule === 'string' ? rule : rule.name));
}

const PROTECTING = ['project.environment-deleted', 'project.environment-replaced', 'project.state-unknown'];

/** These rules protect. */
function checkProtecting({ file, entries }: Contract): void {
  for (const [operation, { record }] of Object.entries(entries)) {
    const missing = PROTECTING.find((rule) => !namesOf(entries, operation).includes(rule));
    const message = `environments are to be protected, and ${operation} in ${file} lacks the rule ${missing}`;
    const hint = `add ${PROTECTING.join(', ')} to its rules, or leave out --protect`;
    if (record?.kind === 'project' && missing) throw new PatchgateError('bad-config', message, { hint });
  }
}

function readAs(operation: LoadedOperation, request: GateRequest, limit: number): ReadBody {
  if (operation.entry.body === 'optional' && request.body.length === 0) return NO_BODY;
  return readBody(request.body, request.headers, limit, bodyOf(operation, request).body.mediaType);
}

/** The schema that a body is held against, by its type; with a finding if the contract lists others. */
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
  const isTrue = canary
    ? bodies[0]
        .check(canary.body)
        .some(({ rule, pointer }) => rule === canary.rule && pointer === canary.pointer)
    : bodies.every((body) => body.isOpen || refusesSomething(body));
  if (isTrue) return;
  const what = canary ? `lets its canary pass: no ${canary.rule} at ${canary.pointer}` : 'refuses no body';
  throw new PatchgateError('bad-contract', `${file}: the schema of ${name} ${what}`, {
    hint: `correct the schema, or ${canary ? 'the canary in contract.json' : 'give the operation a canary'}`,
  });
}

/** Findings of the head that keep the guard from knowing which record a PATCH changes. */
const BLINDING: ReadonlySet<string> = new Set<RequestRule>([
  'request.ambiguous-path',
  'request.ambiguous-header',
]);

/** The finding. As an error it keeps the guard from seeing losses. */
function blindingIf(isBlinding: boolean, finding: RawFinding): RawFinding {
  return isBlinding && finding.severity === 'error' ? { ...finding, isBlinding } : finding;
}
