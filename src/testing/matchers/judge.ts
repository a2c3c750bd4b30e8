import { placed } from '../../commands/check/judging/judge-body.ts';
import { checkGate } from '../../commands/check/judging/judging.ts';
import { FILE_START } from '../../commands/check/places/text-lines.ts';
import { hideSecrets } from '../../commands/check/report/hide-secrets.ts';
import type { Match } from '../../contract/match-operation.ts';
import { furtherSchemaRules } from '../../contract/schema-rules.ts';
import type { Gate, Inspection } from '../../gate/gate.ts';
import type { RequestHead } from '../../http/http.ts';
import type { Effect } from '../../model/effect.ts';
import { nearest } from '../../model/nearest.ts';
import { redactEffect } from '../../recordings/redaction/redact-finding.ts';
import { type Redaction, redactionOf } from '../../recordings/redaction/redaction.ts';
import type { Paint } from '../../reporters/colours.ts';
import { isFailing, type PlacedFinding, type Subject, subjectOf } from '../../reporters/report.ts';
import { findingParagraphs } from '../../reporters/text.ts';
import { type Config, resolveConfig } from '../../settings/config.ts';
import type { UserConfig } from '../../settings/define-config.ts';
import { COMMAND_DEFAULTS } from '../../settings/settings.ts';
import { operationsHint, orHint } from '../with-hint.ts';
import type { JudgedWith } from './assertions.ts';
import { knownOf } from './known-of.ts';
import { misused, named } from './runner.ts';

/** What the gate says of a body. */
export interface Judged extends Inspection {
  /** As `check` reports it, with its secrets. */
  subject: Subject;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

/** @throws Error where one is no text: what is not seen would be judged as if it were not there */
function headersOf(matcher: string, headers: JudgedWith['headers'] = JSON_HEADERS): string[] {
  const given: object = Object(headers);
  const list: unknown[] =
    Symbol.iterator in given ? [...(given as Iterable<unknown>)] : Object.entries(given);
  const isPair = (one: unknown): one is string[] =>
    Array.isArray(one) && one.length === 2 && one.every((part) => typeof part === 'string');
  if (given === headers && list.every(isPair)) return list.flat();
  throw misused(
    matcher,
    'the headers are not texts by name',
    "give them like { 'Content-Type': 'application/json' }, or Headers",
  );
}

interface JudgingOptions extends JudgedWith {
  /** What it loses may go. */
  isApproved?: boolean;
}

/** Judges bodies as `patchgate check` does, for matchers. */
export class Judge {
  readonly gate: Gate;
  /** From which severity on a body fails where a matcher is not told. */
  readonly failOn: Config['failOn'];
  readonly redaction: Redaction;

  /** @throws PatchgateError where a setting or the contract is wrong */
  static async of(settings: UserConfig<number>): Promise<Judge> {
    return orHint(async () => {
      const resolved = await resolveConfig({ ...settings }, COMMAND_DEFAULTS.check);
      return new Judge(await checkGate(resolved, undefined), resolved.config);
    });
  }

  constructor(gate: Gate, config: Config) {
    this.gate = gate;
    this.failOn = config.failOn;
    this.redaction = redactionOf(config);
  }

  /** @param matcher its name, for messages. @throws Error where the contract has no such operation, or path or state is none of it */
  judge(matcher: string, bytes: Buffer, operation: string, options: JudgingOptions = {}): Judged {
    const { path, headers, state, isApproved } = options;
    this.#checkOperation(matcher, operation);
    const head = { method: 'PATCH', url: path ?? '', headers: headersOf(matcher, headers) };
    const match =
      path === undefined
        ? { operation, parameters: {}, findings: [] }
        : this.#matchOf(matcher, operation, path, head);
    const kind = state === undefined ? undefined : this.gate.kindOf(operation);
    const known = state === undefined ? undefined : knownOf(matcher, kind, operation, state);
    const inspection = this.gate.inspect({ ...head, body: bytes }, match, {
      known,
      approval: isApproved ? 'approved' : undefined,
    });
    const facts = { pointer: '', ...(path !== undefined && { method: 'PATCH', path }) };
    const findings = placed(inspection.verdict, bytes, FILE_START);
    return { ...inspection, subject: { ...subjectOf(facts, inspection.verdict), findings } };
  }

  passes({ subject }: Judged, failOn: Config['failOn'] = this.failOn): boolean {
    return subject.outcome === 'pass' && !isFailing(subject, failOn);
  }

  /** The findings as `check` writes them, with their lines. @param isMeant which of them */
  textOf(subject: Subject, paint: Paint, isMeant?: (finding: PlacedFinding) => boolean): string {
    const meant = isMeant ? { ...subject, findings: subject.findings.filter(isMeant), omitted: 0 } : subject;
    const files = hideSecrets(
      [{ file: 'body', kind: 'body', subjects: [meant], unjudged: 0 }],
      this.redaction,
    );
    // The file's name is the first of them.
    return findingParagraphs(files, paint).slice(1).join('\n\n');
  }

  /** What of effects may be shown. */
  withoutSecrets(effects: readonly Effect[]): Effect[] {
    return effects.map((effect) => redactEffect(effect, this.redaction));
  }

  /** @throws Error where no rule has this name, which no finding could have then */
  checkRule(matcher: string, name: string): void {
    const names = this.gate.rules.map((rule) => rule.name);
    const all = [...names, ...furtherSchemaRules()];
    if (all.includes(name)) return;
    const near = nearest(name, all);
    throw misused(
      matcher,
      `there is no rule ${JSON.stringify(name)}`,
      near ? `did you mean ${near}?` : `rules: ${names.join(', ')}`,
    );
  }

  #checkOperation(matcher: string, operation: unknown): void {
    const { operations } = this.gate;
    if (typeof operation === 'string' && operations.includes(operation)) return;
    throw misused(
      matcher,
      `the contract has no operation ${named(operation)}`,
      operationsHint(operation, operations),
    );
  }

  #matchOf(matcher: string, operation: string, path: string, head: RequestHead): Match {
    const example = 'give one like /accounts/current/projects/42';
    if (typeof path !== 'string' || !/^(?:\/|https?:)/i.test(path))
      throw misused(matcher, `the path ${named(path)} does not begin with a slash`, example);
    const match = this.gate.match(head);
    if (match?.operation === operation) return match;
    throw misused(
      matcher,
      match?.operation === undefined
        ? `no operation of the contract is a PATCH of ${path}`
        : `a PATCH of ${path} is ${match.operation}, not ${operation}`,
      example,
    );
  }
}
