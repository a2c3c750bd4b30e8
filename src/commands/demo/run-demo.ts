import type { RuntimeContext } from '../../app/compose-upstream.ts';
import { createPatchgate } from '../../app/patchgate.ts';
import { APPROVE_HEADER } from '../../guard/approvals.ts';
import { type Config, resolveConfig } from '../../settings/config.ts';
import { startFake } from '../../upstreams/fake/start-fake.ts';
import { flagsOf } from '../options.ts';
import { outliveReaders } from '../outlive-readers.ts';
import { stopSignal } from '../stop-signal.ts';
import { GOOD, PROJECT_PATH, STEPS } from './requests.ts';

const RECORDING = 'demo';
const WITHOUT_TLS = {
  targetCa: undefined,
  targetInsecure: false,
  tlsCert: undefined,
  tlsKey: undefined,
};

/** The main job in one go: judge and record in front of a fake, replay without it, and go on replaying. */
export async function runDemo(argv: Readonly<Record<string, unknown>>): Promise<void> {
  outliveReaders();
  const { config: given } = await resolveConfig(flagsOf(argv), { guard: 'on' });
  // Those are for a service and clients of one's own.
  const config = { ...given, ...WITHOUT_TLS, state: '' };
  say('\n1. A fake of the service runs, and the gate in front of it, recording what passes.\n');
  const recorded = await recordAgainstFake({ ...config, record: 'all', recording: RECORDING, log: 'off' });

  say(`\n2. The fake is stopped. The gate replays ${config.recordings}/${RECORDING}/ instead.\n`);
  let isLogging = false;
  const around = {
    ...runtimeContext(),
    writeLog: (text: string) => {
      if (isLogging) process.stdout.write(text);
    },
  };
  const gate = await createPatchgate('replay', { ...config, recording: RECORDING, onMiss: 'refuse' }, around);
  const { url } = await gate.listen();
  const replayed = await send(url, 'PATCH', GOOD);
  say(`   ${STEPS[0]?.title}`);
  say(
    `   -> ${replayed.status}, ${replayed.text === recorded ? 'the same bytes as from the fake' : 'other bytes than from the fake'}`,
  );

  say(`\n3. It goes on replaying on ${url}, until Ctrl-C. Try:\n`);
  for (const line of curlLines(url)) say(`   ${line}`);
  say('\nThe access log:');
  isLogging = true;
  await stopSignal();
  await gate.close();
}

/** @returns the text of the answer to the good PATCH */
async function recordAgainstFake(config: Config): Promise<string> {
  const fake = await startFake({ host: '127.0.0.1' });
  const gate = await createPatchgate('proxy', { ...config, target: fake.url, port: 0 }, runtimeContext());
  const { url } = await gate.listen();
  let good = '';
  let approve = '';
  try {
    for (const { title, body, isApproved } of STEPS) {
      const before = await environmentsOf(fake.url);
      const answer = await send(url, 'PATCH', body, isApproved && { [APPROVE_HEADER]: approve });
      if (answer.status === 409) ({ approve } = JSON.parse(answer.text) as { approve: string });
      if (body === GOOD) good = answer.text;
      say(`   ${title}\n   -> ${answer.status} ${verdictOf(answer)}`);
      const after = await environmentsOf(fake.url);
      for (const gone of before.filter((name) => !after.includes(name)))
        say(`      the service has deleted ${gone} for good`);
      say('');
    }
  } finally {
    await gate.close();
    await fake.close();
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

function curlLines(url: string): string[] {
  const patch = `curl -X PATCH ${url}${PROJECT_PATH} -H 'Content-Type: application/json'`;
  return [
    '# what was recorded is answered as it was',
    `${patch} -d '${JSON.stringify(GOOD)}'`,
    '# a body that is wrong is blocked, and told why',
    `${patch} -d '{"name":"Checkout"}'`,
    '# one that was not recorded is told what differs',
    `${patch} -d '${JSON.stringify({ ...GOOD, name: 'Basket' })}'`,
    '# what the gate has seen',
    `curl ${url}/__patchgate/exchanges`,
  ];
}

function runtimeContext(): RuntimeContext {
  return { writeLog: (text) => process.stdout.write(text), notice: (text) => say(`   ${text}`), env: {} };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
