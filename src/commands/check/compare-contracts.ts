import { judgingGate } from '../../app/compose-gate.ts';
import type { Contract } from '../../contract/contract.ts';
import type { Match } from '../../contract/match-operation.ts';
import { PatchgateError } from '../../errors.ts';
import type { Gate, Inspection } from '../../gate/gate.ts';
import { globFromTemplate } from '../../gate/policies.ts';
import type { Finding, Verdict } from '../../model/finding.ts';
import type { SeverityOverride } from '../../model/severity-override.ts';
import type { Before, CheckedFile, PlacedFinding, Remark, Subject } from '../../reporters/report.ts';
import type { Config } from '../../settings/config.ts';

/** A finding of either contract. One that both have has an excuse. */
interface Compared extends PlacedFinding {
  /** Only the contract before has it. */
  isGone?: true;
}

/** What a request means by either contract. */
interface Sides {
  present: Match | undefined;
  past: Match | undefined;
}

/**
 * A gate that judges by two contracts. Its verdict is the new one's; among the findings are those that the old one alone has, so
 * that they get their places as all others do, until `finishComparison` moves these.
 */
export function comparing(gate: Gate, old: Gate): Gate {
  const meant = new WeakMap<Match, Sides>();
  const match: Gate['match'] = (head) => {
    const [present, past] = [gate.match(head), old.match(head)];
    const either = present ?? past;
    if (!either) return undefined;
    const both = { ...either };
    meant.set(both, { present, past });
    return both;
  };
  const byOperation = (one: Match): Sides => {
    const isOf = ({ operations }: Gate) => one.operation !== undefined && operations.includes(one.operation);
    return { present: isOf(gate) ? one : undefined, past: isOf(old) ? one : undefined };
  };
  const sidesOf = (one: Match) => meant.get(one) ?? byOperation(one);
  return {
    ...gate,
    operations: [...new Set([...gate.operations, ...old.operations])],
    match,
    recordAt: (url) => gate.recordAt(url) ?? old.recordAt(url),
    recordOf(one) {
      const { present, past } = sidesOf(one);
      return (present && gate.recordOf(present)) ?? (past && old.recordOf(past));
    },
    guards: (kind) => gate.guards(kind) || old.guards(kind),
    inspect(request, one = match(request), circumstances) {
      if (!one) return gate.inspect(request, one, circumstances);
      const { present, past } = sidesOf(one);
      const inspection = present ? gate.inspect(request, present, circumstances) : NOTHING;
      const before = past && old.inspect(request, past, circumstances).verdict;
      return { ...inspection, verdict: compare(inspection.verdict, before) };
    },
    inspectBody(operation, body, circumstances) {
      const by = ({ operations, inspectBody }: Gate) =>
        operations.includes(operation) ? inspectBody(operation, body, circumstances) : undefined;
      const before = by(old);
      const inspection = by(gate) ?? (before ? NOTHING : gate.inspectBody(operation, body));
      return { ...inspection, verdict: compare(inspection.verdict, before?.verdict) };
    },
  };
}

const NOTHING: Inspection = { verdict: { outcome: 'pass', findings: [], omitted: 0 }, json: undefined };

/** @param past undefined: the old contract has no such operation */
function compare(present: Verdict, past: Verdict | undefined): Verdict & { before: Before } {
  // Of several alike as many are the same as both have.
  const left = [...(past?.findings ?? [])];
  const findings = present.findings.map((finding): Compared => {
    const same = left.findIndex((one) => isSame(one, finding));
    if (same < 0) return finding;
    left.splice(same, 1);
    return { ...finding, excuse: { by: 'old-contract' } };
  });
  // Where the new one left some out, what is gone is not known.
  const gone = present.omitted > 0 ? [] : left;
  const before: Before = { outcome: past?.outcome ?? 'unjudged', gone: [] };
  return {
    ...present,
    findings: [...findings, ...gone.map((finding): Compared => ({ ...finding, isGone: true }))],
    before,
  };
}

/** A message names what a schema takes, which may well differ. */
function isSame(one: Finding, other: Finding): boolean {
  return one.rule === other.rule && one.pointer === other.pointer && one.severity === other.severity;
}

/** Keeps the findings that only the old contract has with the rest of its answer. */
export function finishComparison(files: readonly CheckedFile[]): CheckedFile[] {
  return files.map((file) => ({ ...file, subjects: file.subjects.map(finish) }));
}

function finish(subject: Subject): Subject {
  const { before, findings } = subject;
  if (!before) return subject;
  const isGone = (finding: PlacedFinding) => 'isGone' in finding;
  const gone = (findings as readonly Compared[]).filter(isGone).map(({ isGone: _, ...finding }) => finding);
  return {
    ...subject,
    findings: findings.filter((finding) => !isGone(finding)),
    before: { ...before, gone },
  };
}

/** That some requests are judged no more, though they pass as they did. @param files finished */
export function remarksOnLost(files: readonly CheckedFile[]): Remark[] {
  const lost = files.flatMap(({ file, subjects }) =>
    subjects.filter(isLost).map(({ method, path, line }) => {
      const place = line === undefined ? file : `${file}:${line}`;
      return path === undefined ? file : `${method} ${path} (${place})`;
    }),
  );
  if (lost.length === 0) return [];
  return [
    {
      severity: 'warn',
      message: `requests that the contract before judged are judged no more, such as ${lost[0]}`,
      hint: 'no operation of this contract is meant by them: everything in them passes',
    },
  ];
}

function isLost({ operation, outcome, before }: Subject): boolean {
  return (
    operation === undefined && outcome === 'pass' && before !== undefined && before.outcome !== 'unjudged'
  );
}

/**
 * The gate that compares with another contract, for which the same settings count as far as it has the operations.
 *
 * @param contract folder or contract.json
 * @throws PatchgateError `bad-contract` where that does not load
 */
export async function gateAgainst(gate: Gate, config: Config, contract: string): Promise<Gate> {
  const settings = settingsFor(await loadOld(contract), config);
  return comparing(gate, await judgingGate({ ...config, ...settings, contract }));
}

async function loadOld(contract: string): Promise<Contract> {
  try {
    const { loadContract } = await import('../../contract/load-contract.ts');
    return loadContract(contract);
  } catch (error) {
    if (!(error instanceof PatchgateError)) throw error;
    throw new PatchgateError(error.code, `--against-contract ${contract}: ${error.message}`, {
      hint: 'name a folder with the contract.json before the change and its schemas',
      cause: error,
    });
  }
}

/** What is about other operations, a gate of the contract would refuse. */
function settingsFor(
  { entries }: Contract,
  { customRules, rules, overrides }: Config,
): Pick<Config, 'customRules' | 'rules' | 'overrides'> {
  const taken = Object.entries(customRules).filter(([operation]) => Object.hasOwn(entries, operation));
  const namesOf = (some: readonly (readonly { name: string }[])[]) => some.flat().map(({ name }) => name);
  const there = new Set(namesOf(taken.map(([, own]) => own)));
  const missing = new Set(namesOf(Object.values(customRules)).filter((name) => !there.has(name)));
  const known = <T>(severities: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(severities).filter(([name]) => !missing.has(name)));
  const templates = Object.values(entries).map(({ path }) => path);
  const fitting = overrides.flatMap((override): SeverityOverride[] => {
    const { paths } = override;
    const globs = paths?.globs.filter((glob) => globFromTemplate(glob, templates) !== undefined);
    if (globs?.length === 0) return [];
    return [
      { ...override, rules: known(override.rules), ...(paths && globs && { paths: { ...paths, globs } }) },
    ];
  });
  return { customRules: Object.fromEntries(taken), rules: known(rules), overrides: fitting };
}
