import type { CommandModule } from 'yargs';
import { Opened } from '../app/modes.ts';
import { createPatchgate } from '../app/patchgate.ts';
import { PatchgateError } from '../errors.ts';
import { APPROVE_HEADER } from '../guard/approvals.ts';
import { resolveConfig } from '../settings/config.ts';
import { sampleState } from '../upstreams/fake/seed.ts';
import { flagsOf, SERVING, withSettings } from './options.ts';
import { ignoreBrokenPipe, stopSignal } from './output.ts';

export const demo: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [...SERVING, 'recordings'])
      .example('$0 demo', 'leaves a recording in recordings/demo')
      .example('$0 demo -p 8080', 'on another port than 4010'),
  handler: (argv) => runDemo(flagsOf(argv)),
};

const PATH = '/api/v2/accounts/current/projects/42';
const { name, languages, environments } = sampleState().accounts.current.projects[42];
const [production, ...others] = environments;
const GOOD = { name, languages: [...languages, 'GO'], environments };
const SHORTER = { ...GOOD, environments: environments.slice(0, 2) };

/** A good PATCH, and some that go wrong in their own way. */
const STEPS: readonly { title: string; body: object; isApproved?: true }[] = [
  { title: 'A good PATCH: the full project, with one language more', body: GOOD },
  { title: 'One that forgets "languages"', body: { name, environments } },
  {
    title: 'One with a typo: Production has the id 11, not 1',
    body: { ...GOOD, environments: [{ ...production, id: 11 }, ...others] },
  },
  { title: 'One that leaves an environment out', body: SHORTER },
  { title: 'The same again, approved: with the token of that answer', body: SHORTER, isApproved: true },
];

/** The main job in one go: judge and record in front of a fake, replay without it, and go on replaying. */
async function runDemo(flags: Readonly<Record<string, unknown>>): Promise<void> {
  ignoreBrokenPipe();
  const { config: given } = await resolveConfig(flags, { guard: 'on' });
  // These are for a real service and its clients.
  const none = { targetCa: undefined, targetCert: undefined, targetKey: undefined, setHeader: [] };
  const noTls = { ...none, tlsCert: undefined, tlsKey: undefined, ui: undefined };
  const config = { ...given, ...noTls, state: '', recording: 'demo', store: undefined };
  const notice = (text: string) => print(`   ${text}`);

  print('\n1. A fake of the service runs, and the gate in front of it, recording what passes.\n');
  const quiet = { ...config, log: 'off', port: 0, host: '127.0.0.1' } as const;
  const context = { writeLog: () => undefined, env: {} };
  const service = { ...quiet, guard: 'off' as const, fault: [] };
  const opened = new Opened();
  let recorded = '';
  try {
    const fake = opened.add(await createPatchgate('fake', service, { ...context, notice() {} }));
    const recording = { ...quiet, record: 'all', target: fake.url } as const;
    const proxy = opened.add(await createPatchgate('proxy', recording, { ...context, notice }));
    recorded = await sendAll(proxy.url, fake.url);
  } catch (error) {
    if (!(error instanceof PatchgateError)) throw error;
    const hint = 'record into another folder: patchgate demo --recordings FOLDER';
    throw new PatchgateError(error.code, error.message, { hint });
  } finally {
    await opened.close();
  }

  print(`\n2. The fake is stopped. The gate replays ${config.recordings}/demo/ instead.\n`);
  let isLogging = false;
  const writeLog = (text: string) => isLogging && process.stdout.write(text);
  const replay = await createPatchgate('replay', config, { writeLog, notice, env: {} });
  const { url } = replay;
  const { status, text } = await send(url, 'PATCH', GOOD);
  print(`   ${STEPS[0]?.title}`);
  print(`   -> ${status}, ${text === recorded ? 'the same bytes as' : 'other bytes than'} from the fake`);

  const patch = `curl -X PATCH ${url}${PATH} -H 'Content-Type: application/json'`;
  print(`\n3. It goes on replaying on ${url}, until Ctrl-C. Try:\n
   # what was recorded is answered as it was
   ${patch} -d '${JSON.stringify(GOOD)}'
   # a body that is wrong is blocked, and told why
   ${patch} -d '{"name":"Checkout"}'
   # the answer to one that was not recorded says what differs
   ${patch} -d '${JSON.stringify({ ...GOOD, name: 'Basket' })}'
   # what the gate has seen
   curl ${url}/__patchgate/exchanges\n\nThe access log:`);
  isLogging = true;
  await stopSignal();
  await replay.close();
}

/** Sends the PATCHes, and tells what became of each. @returns the text of the answer to the good one */
async function sendAll(gate: string, fake: string): Promise<string> {
  let good = '';
  let token = '';
  for (const { title, body, isApproved } of STEPS) {
    const before = await environmentsOf(fake);
    const { status, text } = await send(gate, 'PATCH', body, isApproved && { [APPROVE_HEADER]: token });
    if (status === 409) token = (JSON.parse(text) as { approve: string }).approve;
    if (body === GOOD) good = text;
    print(`   ${title}\n   -> ${status} ${verdictOf(status, text)}`);
    const after = await environmentsOf(fake);
    for (const gone of before.filter((one) => !after.includes(one)))
      print(`      the service has deleted ${gone} for good`);
    print('');
  }
  return good;
}

async function send(url: string, method: string, body?: object, headers?: Record<string, string>) {
  const typed = { 'content-type': 'application/json', ...headers };
  const init = { method, ...(body && { headers: typed, body: JSON.stringify(body) }) };
  const response = await fetch(url + PATH, init);
  return { status: response.status, text: await response.text() };
}

async function environmentsOf(url: string): Promise<string[]> {
  const { text } = await send(url, 'GET');
  const project = JSON.parse(text) as { environments: { id: number; name: string }[] };
  return project.environments.map((one) => `environment ${one.id} (${one.name})`);
}

function verdictOf(status: number, text: string): string {
  if (status < 400) return 'passed, answered by the service, recorded';
  const told = JSON.parse(text) as { findings: { severity: string; message: string; hint?: string }[] };
  const errors = told.findings.filter(({ severity }) => severity === 'error');
  return `blocked: ${errors.map(({ message, hint = '' }) => `${message}\n      ${hint}`).join('\n      ')}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
