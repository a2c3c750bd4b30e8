import { types } from 'node:util';
import { judgingGate } from '../app/compose-gate.ts';
import { hideSecrets, placedInBody } from '../commands/check/places.ts';
import type { Match } from '../contract/match-operation.ts';
import type { Gate } from '../gate/gate.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { losesEnvironment } from '../model/effect.ts';
import type { Known } from '../model/record.ts';
import { type Redaction, redactionOf } from '../recordings/redact/redaction.ts';
import { coloured, plain } from '../reporters/colours.ts';
import { environment } from '../reporters/effect-text.ts';
import { isFailing, type Subject } from '../reporters/report.ts';
import { findingParagraphs } from '../reporters/text.ts';
import { resolveConfig } from '../settings/config.ts';
import type { UserConfig } from '../settings/define-config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { plainRecord } from '../state/lists.ts';
import { environmentsOf } from '../state/project.ts';
import { isWhole } from '../state/whole-record.ts';
import type { GateAssertions, JudgedWith } from './assertions.ts';
import { haveServed } from './have-served.ts';
import { checkMembers, comparing, type Outcome, picked, type Runner, told } from './runner.ts';
import { misuse, operationsHint, orHint } from './with-hint.ts';

/** For `expect.extend`. */
export type GateMatchers = {
  [Name in keyof GateAssertions<void>]: (
    this: Runner,
    received: unknown,
    ...expected: Parameters<GateAssertions<void>[Name]>
  ) => Name extends 'toHaveServed' ? Promise<Outcome> : Outcome;
};

const FINDING = ['rule', 'severity', 'pointer', 'message', 'hint'] as const;
const LOSSES = ['project.environment-deleted', 'project.environment-replaced', 'project.language-removed'];

/**
 * Matchers for bodies and gates: `expect.extend(await gateMatchers({ contract: './schemas' }))`.
 *
 * @param settings as in a config file, those of `patchgate check`; they stand above the environment and the config file
 * @throws PatchgateError if a setting or the contract is wrong
 */
export async function gateMatchers(settings: UserConfig = {}): Promise<GateMatchers> {
  const { gate, config } = await orHint(async () => {
    const { config } = await resolveConfig({ ...settings }, COMMAND_DEFAULTS.check);
    return { config, gate: await judgingGate(config) };
  });
  const redaction = redactionOf(config);
  return {
    toPassGate(body, operation, options = {}) {
      checkMembers('the options', options, ['failOn', 'path', 'headers', 'state']);
      const { subject } = judge(gate, body, operation, options);
      const { failOn = config.failOn } = options;
      const message = () => {
        const does = subject.outcome === 'pass' ? 'lets this body pass' : 'blocks this body';
        return told(this, 'toPassGate', [
          `The gate ${does} as ${operation}:`,
          textOf(this, subject, redaction),
        ]);
      };
      return { pass: subject.outcome === 'pass' && !isFailing(subject, failOn), message };
    },
    toHaveFinding(body, operation, finding, options = {}) {
      checkMembers('the finding', finding, FINDING, 1);
      checkMembers('the options', options, ['path', 'headers', 'state']);
      const { subject } = judge(gate, body, operation, options);
      const same = comparing(this);
      const names = FINDING.filter((name) => name in finding);
      const pass = subject.findings.some((one) => names.every((name) => same(one[name], finding[name])));
      const message = () => {
        const [file] = hideSecrets(asFiles(subject), redaction);
        const found = file?.subjects[0]?.findings.map((one) => picked(one, names)) ?? [];
        const difference = pass ? '' : (this.utils.diff([picked(finding, names)], found) ?? '');
        return told(this, 'toHaveFinding', [difference, textOf(this, subject, redaction)]);
      };
      return { pass, message };
    },
    toDelete(body, deletions, state) {
      checkMembers('the deletions', deletions, ['environments', 'languages'], 1);
      const operation = gate.operations.find((name) => gate.kindOf(name) === 'project') ?? 'updateProject';
      const judged = judge(gate, body, operation, { state }, true);
      const { findings } = judged.subject;
      // Deletions are for the matcher to judge, whatever severity the settings give them.
      const isBlocked = findings.some(
        ({ rule, severity }) => severity === 'error' && ![...LOSSES, 'project.empty-list'].includes(rule),
      );
      const wanted = {
        environments: deletions.environments.map((one) => environmentIn(state, one)).sort(),
        ...(deletions.languages && { languages: [...deletions.languages].sort() }),
      };
      const languages = judged.effects.filter(({ kind }) => kind === 'language-removed');
      const deleted = {
        environments: judged.effects.filter(losesEnvironment).map(environment).sort(),
        ...(deletions.languages && {
          languages: languages.map((one) => ('name' in one ? one.name : '')).sort(),
        }),
      };
      const message = () =>
        told(this, 'toDelete', [
          isBlocked ? 'The gate blocks this body in any case, so it deletes nothing.' : '',
          this.utils.diff(wanted, deleted) ?? '',
          textOf(this, judged.subject, redaction),
        ]);
      if (isBlocked) return { pass: this.isNot ?? false, message };
      return { pass: comparing(this)(deleted, wanted), message };
    },
    toHaveServed(gate, exchange) {
      return haveServed(this, redaction, gate, exchange);
    },
  };
}

/** @param isApproved whatever the body deletes may go */
function judge(
  gate: Gate,
  body: unknown,
  operation: string,
  { path, headers = { 'content-type': 'application/json' }, state }: JudgedWith,
  isApproved = false,
) {
  if (!gate.operations.includes(operation))
    throw misuse(
      `the contract has no operation ${JSON.stringify(operation)}`,
      operationsHint(operation, gate.operations),
    );
  const bytes = bytesOf(body);
  const head = { method: 'PATCH', url: path ?? '', headers: Object.entries(headers).flat() };
  const bare: Match = { operation, parameters: {}, findings: [] };
  const match = path === undefined ? bare : gate.match(head);
  if (match?.operation !== operation)
    throw misuse(`a PATCH of ${path} is not ${operation}`, 'give one like /accounts/current/projects/42');
  const known = state && knownOf(gate, operation, state);
  const approval = isApproved ? ('approved' as const) : undefined;
  const { verdict, effects = [] } = gate.inspect({ ...head, body: bytes }, match, { known, approval });
  const subject = { pointer: '', ...verdict, findings: placedInBody(verdict.findings, bytes) };
  return { subject, effects };
}

/** Text and bytes as they are; a body of `exchanges()` as it shows it; else the JSON of a client, with a line for each member. */
function bytesOf(body: unknown): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  if (types.isAnyArrayBuffer(body)) return Buffer.from(body);
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const shown: JsonObject = isObject(body) && Number.isSafeInteger(body.size) ? (body as JsonObject) : {};
  if (shown.cut) throw misuse('the body is cut: exchanges() shows 64 KiB of one', 'give the body itself');
  if (typeof shown.text === 'string') return Buffer.from(shown.text);
  if (typeof shown.base64 === 'string') return Buffer.from(shown.base64, 'base64');
  const value = 'json' in shown ? shown.json : body;
  const text = types.isPromise(value) ? undefined : (JSON.stringify(value, null, 2) as string | undefined);
  if (text === undefined)
    throw misuse('the body has no JSON', 'give an object, text or bytes; await a promise');
  return Buffer.from(text);
}

/** A record by itself, or as the only member of an answer that has the record's shape. */
function knownOf(gate: Gate, operation: string, state: object): Known {
  const kind = gate.kindOf(operation);
  if (kind === undefined)
    throw misuse(`nothing is known of what ${operation} changes`, 'leave the state out');
  const records = [state, ...Object.values(state)].filter((one) => isWhole(kind, one as JsonValue));
  const [record] = records as JsonObject[];
  if (record === undefined)
    throw misuse(`the state is no ${kind}`, `give the whole ${kind} as the service shows it`);
  return { record: plainRecord(kind, record), isWhole: true };
}

/** @throws PatchgateError `bad-usage` if the project does not have it, or several of its name */
function environmentIn(state: object, wanted: number | string): string {
  const inner = Object.values(state).find((one) => isWhole('project', one as JsonValue));
  const all = environmentsOf((isWhole('project', state as JsonValue) ? state : inner) as JsonValue);
  const found = all.filter(({ id, name }) => wanted === (typeof wanted === 'number' ? id : name));
  if (found[0] && found.length === 1) return environment(found[0]);
  throw misuse(
    `the state has ${found.length || 'no'} environments ${JSON.stringify(wanted)}`,
    `give ids of: ${all.map(environment).join(', ')}`,
  );
}

function asFiles(subject: Subject) {
  return [{ file: 'body', kind: 'body' as const, subjects: [subject], unjudged: 0 }];
}

/** The findings as `check` writes them. */
function textOf({ utils }: Runner, subject: Subject, redaction: Redaction): string {
  const paint = (utils.RECEIVED_COLOR?.('x') ?? 'x') === 'x' ? plain : coloured;
  const paragraphs = findingParagraphs(hideSecrets(asFiles(subject), redaction), paint).slice(1);
  return paragraphs.join('\n\n') || '  no findings';
}
