import { types } from 'node:util';
import { judgingGate } from '../app/gate.ts';
import { hideSecrets } from '../commands/check/places.ts';
import type { Match } from '../contract/match-operation.ts';
import { ruleNames } from '../gate/catalogue.ts';
import type { Gate } from '../gate/gate.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { losesEnvironment } from '../model/effect.ts';
import type { Known } from '../model/record.ts';
import { redactionOf } from '../recordings/redact/redaction.ts';
import { plain } from '../reporters/colours.ts';
import { environment } from '../reporters/effect-text.ts';
import { isFailing, type Subject } from '../reporters/report.ts';
import { findingParagraphs } from '../reporters/text.ts';
import { meant } from '../schemas/check.ts';
import { resolveConfig } from '../settings/config.ts';
import type { UserConfig } from '../settings/define-config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { plainRecord } from '../state/lists.ts';
import { environmentsOf } from '../state/project.ts';
import { isWhole } from '../state/whole-record.ts';
import type { GateAssertions, JudgedWith } from './assertions.ts';
import { comparing, haveServed, type Outcome, type Runner, told } from './have-served.ts';
import { checkMembers, misuse, noOperation, withHint } from './misuse.ts';

/** For `expect.extend`. */
export type GateMatchers = {
  [Name in keyof GateAssertions<void>]: (
    this: Runner,
    received: unknown,
    ...expected: Parameters<GateAssertions<void>[Name]>
  ) => Name extends 'toHaveServed' ? Promise<Outcome> : Outcome;
};

const JUDGED = ['path', 'headers', 'state'];
const FINDING = ['rule', 'severity', 'pointer', 'message', 'hint'] as const;
const DELETIONS = /^project\.(?:environment-deleted|environment-replaced|language-removed|empty-list)$/;

/**
 * Matchers for bodies and gates: `expect.extend(await gateMatchers({ contract: './schemas' }))`.
 *
 * @param settings as in a config file, those of `patchgate check`; they stand above the environment and the config file
 * @throws PatchgateError if a setting or the contract is wrong
 */
export async function gateMatchers(settings: UserConfig = {}): Promise<GateMatchers> {
  const resolved = resolveConfig({ ...settings }, COMMAND_DEFAULTS.check);
  const { gate, config } = await resolved
    .then(async ({ config }) => ({ config, gate: await judgingGate(config) }))
    .catch((error) => {
      throw withHint(error);
    });
  /** As `check` shows it. */
  const shown = (subject: Subject) =>
    hideSecrets([{ file: 'body', kind: 'body', subjects: [subject], unjudged: 0 }], redactionOf(config));
  const textOf = (subject: Subject) =>
    findingParagraphs(shown(subject), plain).slice(1).join('\n\n') || '  no findings';
  return {
    toPassGate(body, operation, options = {}) {
      checkMembers('the options', options, [...JUDGED, 'failOn']);
      const { subject } = judge(gate, body, operation, options);
      const does = subject.outcome === 'pass' ? 'lets this body pass' : 'blocks this body';
      const said = [`The gate ${does} as ${operation}:`, textOf(subject)];
      const pass = subject.outcome === 'pass' && !isFailing(subject, options.failOn ?? config.failOn);
      return { pass, message: () => told(this, 'toPassGate', said) };
    },
    toHaveFinding(body, operation, finding, options = {}) {
      checkMembers('the finding', finding, FINDING);
      checkMembers('the options', options, JUDGED);
      const names = FINDING.filter((name) => name in finding);
      if (names.length === 0) throw misuse('the finding has no member', `members: ${FINDING.join(', ')}`);
      checkRule(gate, finding.rule);
      const { subject } = judge(gate, body, operation, options);
      const same = comparing(this);
      const pass = subject.findings.some((one) => names.every((name) => same(one[name], finding[name])));
      const message = () => {
        const found = shown(subject)[0]?.subjects[0]?.findings ?? [];
        const parts = found.map((one) => Object.fromEntries(names.map((name) => [name, one[name]])));
        const difference = pass ? '' : (this.utils.diff([finding], parts) ?? '');
        return told(this, 'toHaveFinding', [difference, textOf(subject)]);
      };
      return { pass, message };
    },
    toDelete(body, deletions, state) {
      checkMembers('the deletions', deletions, ['environments', 'languages']);
      const operation = gate.operations.find((name) => gate.kindOf(name) === 'project') ?? 'updateProject';
      // Without a state nothing would be deleted: it is none then.
      const { subject, effects } = judge(gate, body, operation, { state: Object(state) }, true);
      // Deletions are for the matcher to judge.
      const isBlocked = subject.findings.some(
        ({ rule, severity }) => severity === 'error' && !DELETIONS.test(rule),
      );
      const { languages } = deletions;
      const removed = effects.flatMap((one) => (one.kind === 'language-removed' ? [one.name] : []));
      const wanted = {
        environments: deletions.environments.map((one) => environmentIn(state, one)).sort(),
        ...(languages && { languages: languages.toSorted() }),
      };
      const deleted = {
        environments: effects.filter(losesEnvironment).map(environment).sort(),
        ...(languages && { languages: removed.sort() }),
      };
      const message = () =>
        told(this, 'toDelete', [
          isBlocked ? 'The gate blocks this body in any case, so it deletes nothing.' : '',
          this.utils.diff(wanted, deleted) ?? '',
          textOf(subject),
        ]);
      return { pass: isBlocked ? (this.isNot ?? false) : comparing(this)(deleted, wanted), message };
    },
    toHaveServed(gate, exchange) {
      return haveServed(this, gate, exchange);
    },
  };
}

/** A misspelt rule is never found. */
function checkRule({ rules }: Gate, rule: unknown): void {
  const names = ruleNames(rules);
  if (typeof rule !== 'string' || names.includes(rule)) return;
  const hint = meant(rule, names) ?? 'docs/reference/rules.md lists all';
  throw misuse(`there is no rule ${JSON.stringify(rule)}`, hint);
}

/** @param isApproved whatever the body deletes may go */
function judge(gate: Gate, body: unknown, operation: string, as: JudgedWith, isApproved = false) {
  const { path, headers = { 'content-type': 'application/json' }, state } = as;
  if (!gate.operations.includes(operation)) throw noOperation(operation, gate.operations);
  const bytes = bytesOf(body);
  const head = { method: 'PATCH', url: path ?? '', headers: Object.entries(headers).flat() };
  const bare: Match = { operation, parameters: {}, findings: [] };
  const match = path === undefined ? bare : gate.match(head);
  if (match?.operation !== operation)
    throw misuse(`a PATCH of ${path} is not ${operation}`, 'give one like /accounts/current/projects/42');
  const known = state && knownOf(gate, operation, state);
  const approval = isApproved ? ('approved' as const) : undefined;
  const { verdict, effects = [] } = gate.inspect({ ...head, body: bytes }, match, { known, approval });
  const subject: Subject = { pointer: '', ...verdict };
  return { subject, effects };
}

/** Text and bytes as they are; else the JSON of a client, with a line for each member. */
function bytesOf(body: unknown): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  if (types.isAnyArrayBuffer(body)) return Buffer.from(body);
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const text = types.isPromise(body) ? undefined : (JSON.stringify(body, null, 2) as string | undefined);
  if (text !== undefined) return Buffer.from(text);
  throw misuse('the body has no JSON', 'give an object, text or bytes; await a promise');
}

/** A record by itself, or as the only member of an answer that has the record's shape. */
function knownOf(gate: Gate, operation: string, state: object): Known {
  const kind = gate.kindOf(operation);
  if (kind === undefined)
    throw misuse(`nothing is known of what ${operation} changes`, 'leave the state out');
  const record = [state, ...Object.values(state)].find((one) => isWhole(kind, one as JsonValue));
  if (record === undefined)
    throw misuse(`the state is no ${kind}`, `give the whole ${kind} as the service shows it`);
  return { record: plainRecord(kind, record as JsonObject), isWhole: true };
}

/** @throws PatchgateError `bad-usage` if the project does not have it, or several of its name */
function environmentIn(state: object, wanted: number | string): string {
  const project = [state, ...Object.values(state)].find((one) => isWhole('project', one as JsonValue));
  const all = environmentsOf(project as JsonValue);
  const found = all.filter(({ id, name }) => wanted === (typeof wanted === 'number' ? id : name));
  if (found[0] && found.length === 1) return environment(found[0]);
  const message = `the state has ${found.length || 'no'} environments ${JSON.stringify(wanted)}`;
  throw misuse(message, `give ids of: ${all.map(environment).join(', ')}`);
}
