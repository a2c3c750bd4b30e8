import type { CommandModule } from 'yargs';
import { judgingGate } from '../app/gate.ts';
import { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import { member } from '../json/json.ts';
import { tokensOf } from '../json/pointer.ts';
import type { Finding } from '../model/finding.ts';
import type { Known } from '../model/record.ts';
import { isSecretPointer, redactFinding, redactJson } from '../recordings/redact/redact.ts';
import { type Redaction, redactionOf } from '../recordings/redact/redaction.ts';
import { doubtOf, outcomeOf, type Plan, planJson, planText } from '../reporters/plan.ts';
import { placeOf } from '../reporters/report.ts';
import { visible } from '../reporters/wording.ts';
import { resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { correctedProject } from '../state/corrected.ts';
import { readInput } from './check/inputs.ts';
import { once } from './given.ts';
import { withStdin } from './input.ts';
import { flagsOf, formatOf, GUARDING, takesText, withSettings } from './options.ts';
import { isColoured, say, standardOutput } from './output.ts';
import { readSource } from './plan/source.ts';

const TARGET = ['contract', 'store', 'timeout', 'targetCa', 'setHeader'] as const;
const SOURCES = 'What the project holds (one of them):';

export const plan: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [...GUARDING, 'redact', ...TARGET])
      .positional('body', {
        type: 'string',
        demandOption: true,
        describe: 'File with the body of the PATCH, - for standard input',
      })
      .options({
        project: takesText('Id of the project', { demandOption: true }),
        state: takesText('File in which patchgate proxy keeps what it knows', { group: SOURCES }),
        'from-target': takesText('Base URL of the service: it is read there, by one GET', { group: SOURCES }),
        format: formatOf('Of the plan', 'text', 'json'),
      })
      .example('$0 plan body.json --project 42', 'against what the proxy has seen')
      .example('$0 plan - --project 42 --from-target URL', 'from standard input, against the service'),
  handler: async (argv) => {
    const { config, origins } = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.plan);
    const project = once(argv, 'project') ?? '';
    // Whatever a proxy of the same config does.
    const gate = await judgingGate({ ...config, guard: 'on', target: undefined });
    const patch = await readPatch(gate, withStdin([String(argv.body)])[0] as string, project);
    const told = await readSource(config, origins.state === 'flag', {
      ...{ path: patch.path, name: patch.name },
      fromTarget: once(argv, 'from-target'),
    });
    const { verdict, effects = [] } = patch.inspect(told.known);
    const { record, isWhole } = told.known ?? {};
    const name = member(record, 'name');
    const found: Plan = {
      ...{ project, body: patch.file, source: told.source, advice: told.advice, effects },
      name: typeof name === 'string' ? name : undefined,
      known: record === undefined ? 'nothing' : isWhole ? 'whole' : 'part',
      corrected: record && correctedProject(record, patch.json, effects),
      findings: verdict.findings.filter(({ severity }) => severity === 'error'),
    };
    const shown = withoutSecrets(found, redactionOf(config));
    const isJson = argv.format === 'json';
    const text = isJson ? planJson(shown) : planText(shown, isColoured(process.stdout, process.env));
    await standardOutput().write(text);
    const doubt = doubtOf(shown);
    if (doubt !== undefined && isJson) say(`${visible(doubt)}\n  ${shown.advice}`);
    process.exitCode = { kept: 0, lost: 3, unclear: 2 }[outcomeOf(found)];
  },
};

/** Reports go into logs. */
function withoutSecrets({ findings, ...plan }: Plan, redaction: Redaction): Plan {
  const clean = redactJson(JSON.parse(JSON.stringify(plan)), redaction) as unknown as Plan;
  const isSecret = ({ pointer }: Finding) => isSecretPointer(tokensOf(pointer), redaction);
  return { ...clean, findings: findings.map((one) => redactFinding(one, isSecret(one), redaction)) };
}

/** @throws PatchgateError `bad-usage` if the contract has no such PATCH, `bad-input` if readers could differ over the body */
async function readPatch(gate: Gate, file: string, project: string) {
  const path = `/accounts/current/projects/${project}`;
  const head = { method: 'PATCH', url: path, headers: ['content-type', 'application/json'] };
  const match = gate.match(head);
  const name = match && gate.recordOf(match);
  const fail = (code: 'bad-usage' | 'bad-input', message: string, hint: string | undefined) =>
    new PatchgateError(code, visible(message), hint === undefined ? {} : { hint });
  if (match?.findings.length || name?.kind !== 'project')
    throw fail('bad-usage', `a PATCH of ${path} changes no project`, 'an id is an integer: --project 42');
  const input = await readInput(file, gate.bodyLimit);
  if (input.kind !== 'body')
    throw fail(
      'bad-input',
      `${input.name} is a file of a recording or an archive, not a body`,
      'patchgate check judges it',
    );
  /** With what it loses taken for approved, and with all effects. */
  const inspect = (known: Known | undefined) =>
    gate.inspect({ ...head, body: input.bytes }, match, { known, approval: 'approved', isInFile: true });
  const { verdict, json } = inspect(undefined);
  const unclear = verdict.findings.find(
    ({ rule, severity }) => severity === 'error' && rule.startsWith('request.'),
  );
  if (json === undefined || unclear)
    throw fail(
      'bad-input',
      `${placeOf(input.name, unclear ?? {})}: ${unclear?.message ?? 'it cannot be read'}`,
      unclear?.hint,
    );
  return { path, name, json, inspect, file: input.name };
}
