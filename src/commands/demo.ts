import type { CommandModule } from 'yargs';
import { NO_TARGET_SETTINGS } from '../app/modes.ts';
import { createPatchgate } from '../app/patchgate.ts';
import { APPROVE_HEADER } from '../guard/approvals.ts';
import { resolveConfig } from '../settings/config.ts';
import { PROJECT } from '../upstreams/fake/sample.ts';
import { startFake } from '../upstreams/fake/start-fake.ts';
import { flagsOf, SERVING, withSettings } from './options.ts';
import { ignoreBrokenPipe, stopSignal } from './output.ts';

export const demo: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [...SERVING, 'recordings'])
      .example('$0 demo', 'leaves a recording in recordings/demo')
      .example('$0 demo -p 8080', 'on another port than 4010'),
  handler: (argv) => runDemo(flagsOf(argv)),
};

/** The PATCHes that the demo sends: a good one, and some that go wrong in their own way. */
const { name, languages, environments } = PROJECT;
const [production, ...others] = environments;

export const PROJECT_PATH = '/api/v2/accounts/current/projects/42';

export const GOOD = { name, languages: [...languages, 'GO'], environments };
const SHORTER = { ...GOOD, environments: environments.slice(0, 2) };

interface Step {
  title: string;
  body: object;
  /** With the approval that the answer before it gave. */
  isApproved?: true;
}

export const STEPS: readonly Step[] = [
  { title: 'A good PATCH: the full project, with one language more', body: GOOD },
  { title: 'One that forgets "languages"', body: { name, environments } },
  {
    title: 'One with a typo: Production has the id 11, not 1',
    body: { ...GOOD, environments: [{ ...production, id: 11 }, ...others] },
  },
  { title: 'One that leaves an environment out', body: SHORTER },
  { title: 'The same again, approved: with the token of that answer', body: SHORTER, isApproved: true },
];

const RECORDING = 'demo';

/** The main job in one go: judge and record in front of a fake, replay without it, and go on replaying. */
async function runDemo(flags: Readonly<Record<string, unknown>>): Promise<void> {
  ignoreBrokenPipe();
  const { config: given } = await resolveConfig(flags, { guard: 'on' });
  // Certificates are for a real service and its clients.
  const withoutTls = { ...NO_TARGET_SETTINGS, tlsCert: undefined, tlsKey: undefined };
  const config = {
    ...given,
    ...withoutTls,
    state: '',
    recording: RECORDING,
    ui: undefined,
  };
  const notice = (text: string) => print(`   ${text}`);

  print('\n1. A fake of the service runs, and the gate in front of it, recording what passes.\n');
  const fake = await startFake({});
  const proxied = { ...config, record: 'all', log: 'off', target: fake.url, port: 0 } as const;
  const proxy = await createPatchgate('proxy', proxied, { writeLog: () => undefined, notice, env: {} });
  let recorded = '';
  try {
    recorded = await sendAll((await proxy.listen()).url, fake.url);
  } finally {
    await proxy.close();
    await fake.close();
  }

  print(`\n2. The fake is stopped. The gate replays ${config.recordings}/${RECORDING}/ instead.\n`);
  let isLogging = false;
  const writeLog = (text: string) => isLogging && process.stdout.write(text);
  const replay = await createPatchgate('replay', config, { writeLog, notice, env: {} });
  const { url } = await replay.listen();
  const replayed = await send(url, 'PATCH', GOOD);
  const bytes = replayed.text === recorded ? 'the same bytes as' : 'other bytes than';
  print(`   ${STEPS[0]?.title}`);
  print(`   -> ${replayed.status}, ${bytes} from the fake`);

  print(`\n3. It goes on replaying on ${url}, until Ctrl-C. Try:\n`);
  const patch = `curl -X PATCH ${url}${PROJECT_PATH} -H 'Content-Type: application/json'`;
  print('   # what was recorded is answered as it was');
  print(`   ${patch} -d '${JSON.stringify(GOOD)}'`);
  print('   # a body that is wrong is blocked, and told why');
  print(`   ${patch} -d '{"name":"Checkout"}'`);
  print('   # one that was not recorded is told what differs');
  print(`   ${patch} -d '${JSON.stringify({ ...GOOD, name: 'Basket' })}'`);
  print('   # what the gate has seen');
  print(`   curl ${url}/__patchgate/exchanges`);
  print('\nThe access log:');
  isLogging = true;
  await stopSignal();
  await replay.close();
}

/** Sends the PATCHes, and tells what became of each. @returns the text of the answer to the good one */
async function sendAll(gate: string, fake: string): Promise<string> {
  let good = '';
  let approve = '';
  for (const { title, body, isApproved } of STEPS) {
    const before = await environmentsOf(fake);
    const answer = await send(gate, 'PATCH', body, isApproved && { [APPROVE_HEADER]: approve });
    if (answer.status === 409) ({ approve } = JSON.parse(answer.text) as { approve: string });
    if (body === GOOD) good = answer.text;
    print(`   ${title}\n   -> ${answer.status} ${verdictOf(answer)}`);
    const after = await environmentsOf(fake);
    for (const removed of before.filter((name) => !after.includes(name)))
      print(`      the service has deleted ${removed} for good`);
    print('');
  }
  return good;
}

interface Answer {
  status: number;
  text: string;
}

async function send(
  url: string,
  method: string,
  body?: object,
  headers?: Record<string, string>,
): Promise<Answer> {
  const response = await fetch(url + PROJECT_PATH, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

async function environmentsOf(url: string): Promise<string[]> {
  const { text } = await send(url, 'GET');
  const { environments } = JSON.parse(text) as { environments: { id: number; name: string }[] };
  return environments.map(({ id, name }) => `environment ${id} (${name})`);
}

function verdictOf({ status, text }: Answer): string {
  if (status < 400) return 'passed, answered by the service, recorded';
  const { findings } = JSON.parse(text) as {
    findings: { severity: string; message: string; hint?: string }[];
  };
  const errors = findings.filter(({ severity }) => severity === 'error');
  return `blocked: ${errors.map(({ message, hint }) => `${message}\n      ${hint ?? ''}`).join('\n      ')}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
