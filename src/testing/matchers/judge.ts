import { judgingGate } from '../../app/compose-gate.ts';
import { hideSecrets } from '../../commands/check/hide-secrets.ts';
import { placed } from '../../commands/check/places.ts';
import { furtherSchemaRules } from '../../contract/check-schema.ts';
import type { Match } from '../../contract/match-operation.ts';
import type { Gate, Inspection } from '../../gate/gate.ts';
import type { RequestHead } from '../../http/http.ts';
import { isObject, type JsonValue } from '../../json/json.ts';
import { nearest } from '../../model/nearest.ts';
import type { Known, RecordKind } from '../../model/record.ts';
import { type Redaction, redactionOf } from '../../recordings/redaction/redaction.ts';
import type { Paint } from '../../reporters/colours.ts';
import { isFailing, type PlacedFinding, type Subject, subjectOf } from '../../reporters/report.ts';
import { findingParagraphs } from '../../reporters/text.ts';
import { type Config, resolveConfig } from '../../settings/config.ts';
import type { UserConfig } from '../../settings/define-config.ts';
import { COMMAND_DEFAULTS } from '../../settings/settings.ts';
import { wholeRecord } from '../../state/known.ts';
import { isWhole } from '../../state/records.ts';
import { operationsHint, orHint } from '../with-hint.ts';
import type { JudgedWith } from './assertions.ts';
import { misused, named } from './runner.ts';

/** What the gate says of a body. */
interface Judged extends Inspection {
  /** As `check` reports it, with its secrets. */
  subject: Subject;
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
      const { config } = await resolveConfig({ ...settings }, COMMAND_DEFAULTS.check);
      return new Judge(await judgingGate(config), config);
    });
  }

  constructor(gate: Gate, config: Config) {
    this.gate = gate;
    this.failOn = config.failOn;
    this.redaction = redactionOf(config);
  }

  /**
   * @param matcher its name, for messages
   * @param isApproved what the body loses may go
   * @throws Error where the contract has no such operation, or the path or state does not fit it
   */
  judge(
    matcher: string,
    bytes: Buffer,
    operation: string,
    { path, headers, state }: JudgedWith,
    isApproved = false,
  ): Judged {
    const { operations } = this.gate;
    if (!operations.includes(operation))
      throw misused(
        matcher,
        `the contract has no operation ${named(operation)}`,
        operationsHint(operation, operations),
      );
    const head = { method: 'PATCH', url: path ?? '', headers: headersOf(matcher, headers) };
    const match =
      path === undefined
        ? { operation, parameters: {}, findings: [] }
        : this.#matchOf(matcher, operation, path, head);
    const inspection = this.gate.inspect({ ...head, body: bytes }, match, {
      known:
        state === undefined ? undefined : knownOf(matcher, this.gate.kindOf(operation), operation, state),
      approval: isApproved ? 'approved' : undefined,
    });
    const facts = { pointer: '', ...(path !== undefined && { method: 'PATCH', path }) };
    const findings = placed(inspection.verdict, bytes);
    return { ...inspection, subject: { ...subjectOf(facts, inspection.verdict), findings } };
  }

  passes({ subject }: Judged, failOn: Config['failOn'] = this.failOn): boolean {
    return subject.outcome === 'pass' && !isFailing(subject, failOn);
  }

  /** The findings as `check` writes them, with their lines. @param matches which of them */
  textOf(subject: Subject, paint: Paint, matches?: (finding: PlacedFinding) => boolean): string {
    const meant = matches ? { ...subject, findings: subject.findings.filter(matches), omitted: 0 } : subject;
    const files = hideSecrets(
      [{ file: 'body', kind: 'body', subjects: [meant], unjudged: 0 }],
      this.redaction,
    );
    // The file's name is the first of them.
    return findingParagraphs(files, paint).slice(1).join('\n\n');
  }

  /** @throws Error where no rule has this name, which no finding could have then */
  checkRule(matcher: string, name: string): void {
    const names = this.gate.rules.map((rule) => rule.name);
    const all = [...names, ...furtherSchemaRules()];
    const near = nearest(name, all);
    if (!all.includes(name))
      throw misused(
        matcher,
        `there is no rule ${JSON.stringify(name)}`,
        near ? `did you mean ${near}?` : `rules: ${names.join(', ')}`,
      );
  }

  #matchOf(matcher: string, operation: string, path: string, head: RequestHead): Match {
    const isPath = /^(?:\/|https?:)/i.test(path);
    const match = isPath ? this.gate.match(head) : undefined;
    if (match?.operation === operation) return match;
    const wrong = !isPath
      ? `the path ${named(path)} does not begin with a slash`
      : match?.operation === undefined
        ? `no operation of the contract is a PATCH of ${path}`
        : `a PATCH of ${path} is ${match.operation}, not ${operation}`;
    throw misused(matcher, wrong, 'give one like /accounts/current/projects/42');
  }
}

/** @throws Error where one is no text: what is not seen would be judged as if it were not there */
function headersOf(
  matcher: string,
  headers: JudgedWith['headers'] = { 'content-type': 'application/json' },
): string[] {
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

const SHAPES: Readonly<Record<RecordKind, string>> = {
  project: 'name, languages and environments, each with id and name',
  feature: 'the list variables',
  draft: 'the list variations',
};

/**
 * A record by itself, or as the service may wrap it.
 *
 * @param kind of the record that the operation changes
 * @throws Error where it is none
 */
export function knownOf(
  matcher: string,
  kind: RecordKind | undefined,
  operation: string,
  state: unknown,
): Known {
  if (kind === undefined)
    throw misused(matcher, `of what ${operation} changes no state is known`, 'leave the state out');
  const members: unknown[] = isObject(state) ? Object.values(state) : [];
  const [record, ...others] = (isWhole(kind, state as JsonValue) ? [state] : members).filter(
    (value): value is JsonValue => isWhole(kind, value as JsonValue),
  );
  if (isWhole(kind, record) && others.length === 0) return wholeRecord(kind, record);
  throw misused(
    matcher,
    `the state is no ${kind}`,
    `give the whole ${kind} as the service shows it: ${SHAPES[kind]}; by itself, or as the one member of an answer`,
  );
}
