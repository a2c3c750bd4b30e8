import { join, resolve } from 'node:path';
import { orClose } from '../app/closing.ts';
import type { ServerKind } from '../app/compose-upstream.ts';
import { rulesOf } from '../app/open-recording.ts';
import { createPatchgate } from '../app/patchgate.ts';
import { type InForce, replayOrRecord, type Wording } from '../app/replay-or-record.ts';
import { URL_VARIABLE } from '../commands/exec/run-command.ts';
import { messageOf, PatchgateError } from '../errors.ts';
import { isObject } from '../json/json.ts';
import { hasJournal, openStore } from '../recordings/store.ts';
import { amount, noticeText } from '../reporters/wording.ts';
import { type Config, resolveConfig } from '../settings/config.ts';
import type { UserConfig } from '../settings/define-config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import type { Collection, State } from '../state/state-file.ts';
import { createTestGate } from './create-test-gate.ts';
import type { FakeGate, TestGate } from './test-gate.ts';
import { inOptions, misuse, orHint } from './with-hint.ts';

/**
 * As in a config file, but that paths start from the working folder. They stand above the environment and the config file. It
 * listens on a free port, logs nothing and keeps no file of what it learns, unless these options say so.
 */
export interface TestGateOptions extends UserConfig<number> {
  /** The config file; without it, the one of the working folder or of the nearest folder above that has any. */
  config?: string | undefined;
  /** Takes one notice for people. Without it they go to standard error. */
  notice?: ((text: string) => void) | undefined;
  /** Whether `close` throws where the recording had no answer to a request, unless the test has asked for its misses. Without
   *  it, they are a notice. */
  failOnMiss?: boolean | undefined;
}

export interface FakeOptions extends Omit<TestGateOptions, 'seed'> {
  /** The records that it starts with: the name of a JSON file, or what would stand in it. */
  seed?: string | FakeSeed | undefined;
}

/** Whole records by account (`current`), kind and id, of whatever types a team has for them. */
export interface FakeSeed {
  accounts: Readonly<Record<string, FakeSeedOfAccount>>;
}

type FakeSeedOfAccount = {
  readonly [Kind in Collection]?: Readonly<Record<string, object>> | undefined;
};

/**
 * Starts a gate that answers from a recording. Where `PATCHGATE_RECORD` or the option `record` names a mode that records, it is
 * a proxy in front of `target` that does so, with the guard on.
 *
 * @throws PatchgateError where an option is wrong, or there is no such recording
 */
export function replay(options: TestGateOptions = {}): Promise<TestGate> {
  return start('replay', options);
}

/** Starts a gate in front of a fake of the service. @throws PatchgateError where an option is wrong */
export function fake(options: FakeOptions = {}): Promise<FakeGate> {
  return start('fake', options);
}

/** Starts a gate in front of a service, `target`. @throws PatchgateError where an option is wrong */
export function proxy(options: TestGateOptions = {}): Promise<TestGate> {
  return start('proxy', options);
}

async function start(asked: ServerKind, options: FakeOptions): Promise<FakeGate> {
  return orHint(async () => {
    checkOptions(asked, options);
    return startGate(asked, options);
  });
}

/** In JavaScript, a recording's name or a test comes to mind first. */
function checkOptions(asked: ServerKind, options: unknown): void {
  if (isObject(options)) return;
  const what = typeof options === 'string' ? JSON.stringify(options) : String(options);
  const hint = {
    replay: `replay({ recording: ${typeof options === 'string' ? what : "'checkout'"} })`,
    proxy: "proxy({ target: 'https://staging.example.com' })",
    fake: "fake() or fake({ seed: 'records.json' })",
  };
  throw new PatchgateError('bad-usage', `${asked} takes its options as an object, not ${what}`, {
    hint: `give them like ${hint[asked]}`,
  });
}

async function startGate(
  asked: ServerKind,
  { notice = say, failOnMiss = false, seed, ...options }: FakeOptions,
): Promise<FakeGate> {
  if (typeof failOnMiss !== 'boolean')
    throw misuse(`failOnMiss cannot be ${JSON.stringify(failOnMiss)}`, 'it is true or false');
  const settings = typeof seed === 'object' ? options : { ...options, seed };
  const told = (text: string) => notice(inOptions(text));
  const { kind, failUnused, ...inUse } = await inForce(asked, settings, told);
  // A test may change the working folder.
  const config = {
    ...inUse.config,
    recordings: resolve(inUse.config.recordings),
    // A config file's is for one gate.
    ui: options.ui,
  };
  if (kind === 'replay') await finishRecording(config, told);
  const gate = await createPatchgate(kind, config, {
    writeLog: (text) => process.stdout.write(text),
    notice: told,
    env: process.env,
    isBrief: true,
    ...(typeof seed === 'object' && { seed: seed as State }),
  }).catch((error: unknown) => {
    throw sayingWhatToDo(error, config);
  });
  const { url, close, unref } = await orClose(gate, () => gate.listen());
  unref();
  const testGate = createTestGate({
    ...{ gate, url, notice, config, failUnused, failOnMiss },
    stopListening() {
      open.delete(testGate);
      if (open.size === 0) process.off('beforeExit', closeOpen).off('SIGTERM', closeAndEnd);
      return close();
    },
    isRecording: kind === 'proxy' && config.record !== undefined && config.record !== 'none',
    hasFaults: options.fault !== undefined,
    async unserved(session) {
      const unserved = await gate.unserved(session);
      if (unserved === undefined && asked !== 'replay' && config.record === undefined)
        throw misuse(
          'no recording answers here, so nothing of it is served',
          'ask the gate that replay() starts',
        );
      return unserved;
    },
  });
  if (open.size === 0) process.on('beforeExit', closeOpen).on('SIGTERM', closeAndEnd);
  open.set(testGate, notice);
  return testGate;
}

/** What a test's gate is, and its settings; a config file's `failUnused` is for the command. */
interface TestGateInForce extends InForce {
  failUnused: boolean;
}

const giveTarget = (of: string) =>
  `give one: ${of}({ target: 'https://staging.example.com/api/v2' }), or PATCHGATE_TARGET`;

const WORDING: Wording = {
  flag: (name) => `the option ${name}`,
  target: giveTarget('replay'),
  record:
    'record it: PATCHGATE_RECORD=all PATCHGATE_TARGET=URL, or name the folder with the option recordings',
};

/** Unless the options say otherwise: many gates run at a time, and none leaves anything behind. */
const OWN = { port: 0, log: 'off', state: false };

/** Resolves the settings, and whether a replay is to record. @param options as given; undefined is not given */
async function inForce(
  asked: ServerKind,
  options: Readonly<Record<string, unknown>>,
  notice: (text: string) => void,
): Promise<TestGateInForce> {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const resolved = await resolveConfig(
    { ...OWN, ...given },
    COMMAND_DEFAULTS[asked],
    process.env,
    process.cwd(),
    WORDING.flag,
  );
  const { config, origins } = resolved;
  if (asked === 'proxy' && config.target === undefined)
    throw new PatchgateError('bad-usage', 'no target is given', { hint: giveTarget('proxy') });
  if (asked !== 'replay') return { kind: asked, config, failUnused: false };
  const isSaid = config.failUnused && origins.failUnused === 'flag';
  const notices: string[] = [];
  try {
    const chosen = await replayOrRecord(resolved, process.env, (text) => notices.push(text), WORDING);
    return { ...chosen, failUnused: chosen.kind === 'replay' && isSaid };
  } catch (error) {
    // That nothing is recorded in CI matters where something is missing: a line for each gate of a suite would be noise.
    for (const text of notices) notice(text);
    throw error;
  }
}

/**
 * What a run has recorded that was ended before it closed its gate is in a journal, which git does not see: it is moved into the
 * files before it is replayed here, so that a commit without it is noticed.
 */
async function finishRecording(config: Config, notice: (text: string) => void): Promise<void> {
  if (!hasJournal(join(config.recordings, config.recording))) return;
  try {
    const options = { ...config, rules: rulesOf(config), onNotice: notice, writable: true };
    const store = await openStore(config.recordings, config.recording, options);
    await store.close();
  } catch (error) {
    // Another process is still at it, or this one may not write here: it is replayed from where it is.
    const isLeft = error instanceof PatchgateError && /^(?:recording-in-use|cannot-write)$/.test(error.code);
    if (!isLeft) throw error;
  }
}

/**
 * Gates that no test has closed yet, with where they tell notices. They keep no process alive; one that has nothing else to do, or is
 * told to end, closes them, so that what they recorded is written and what they were to check is told. vitest ends its processes by
 * SIGTERM.
 */
const open = new Map<TestGate, (text: string) => void>();

async function closeOpen(): Promise<void> {
  const gates = [...open];
  for (const notice of new Set(open.values())) {
    const count = gates.filter(([, own]) => own === notice).length;
    notice(
      `no test has closed ${amount(count, 'gate')}: await gate.close() in afterAll, or at the end of the test`,
    );
  }
  const closed = gates.map(([gate, notice]) =>
    gate.close().catch((error: unknown) => {
      notice(messageOf(error));
      process.exitCode = 1;
    }),
  );
  await Promise.all(closed);
}

async function closeAndEnd(): Promise<void> {
  await closeOpen();
  // Another listener decides what comes of it; without any it ends the process, as it would have at once.
  if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM');
}

/** Two test files, or two gates of one, that are to record into the same recording; or a test, and the `exec` that runs it. */
function sayingWhatToDo(error: unknown, { recording }: Config): unknown {
  if (!(error instanceof PatchgateError) || error.code !== 'recording-in-use') return error;
  const url = process.env[URL_VARIABLE];
  if (url && error.details?.pid !== process.pid)
    return new PatchgateError(
      error.code,
      `${error.message}; that is most likely the patchgate exec within which this test runs (${URL_VARIABLE} is set): it records into "${recording}" already`,
      {
        hint: `run this test without patchgate exec, or start no gate in it and let its client use ${URL_VARIABLE} (${url})`,
      },
    );
  return new PatchgateError(error.code, `${error.message}; one gate at a time records into "${recording}"`, {
    hint: 'give each test or file a recording of its own, as recordingName(test) names them, or let all use one gate; files that share one are recorded one after the other: vitest run --no-file-parallelism, jest --runInBand',
  });
}

function say(text: string): void {
  process.stderr.write(noticeText(text));
}
