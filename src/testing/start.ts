import { join, resolve } from 'node:path';
import type { Kind } from '../app/compose-upstream.ts';
import { orClose } from '../app/open-recording.ts';
import { createPatchgate } from '../app/patchgate.ts';
import { URL_VARIABLE } from '../commands/exec/variables.ts';
import { PatchgateError } from '../errors.ts';
import { noticeText } from '../reporters/wording.ts';
import type { Config } from '../settings/config.ts';
import type { UserConfig } from '../settings/define-config.ts';
import { shortPath } from '../settings/short-path.ts';
import type { Collection, State } from '../state/state-file.ts';
import { createTestGate } from './create-test-gate.ts';
import { finishRecording } from './finish-recording.ts';
import { inForce } from './in-force.ts';
import { inOptions } from './in-options.ts';
import { closeAtEnd } from './left-open.ts';
import type { FakeGate, TestGate } from './test-gate.ts';
import { misuse, withHint } from './with-hint.ts';
// What every replay loads when it starts: the first one is not to take longer than the others.
import '../guard/replayed-knowledge.ts';
import '../recordings/store/open-store.ts';
import '../upstreams/replay.ts';

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

async function start(asked: Kind, options: FakeOptions): Promise<FakeGate> {
  try {
    checkOptions(asked, options);
    return await startGate(asked, options);
  } catch (error) {
    throw withHint(error);
  }
}

/** In JavaScript, a recording's name or a test comes to mind first. */
function checkOptions(asked: Kind, options: unknown): void {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return;
  const what = typeof options === 'string' ? JSON.stringify(options) : String(options);
  const hint = {
    replay: `${asked}({ recording: ${typeof options === 'string' ? what : "'checkout'"} })`,
    proxy: `${asked}({ target: 'https://staging.example.com' })`,
    fake: `${asked}() or ${asked}({ seed: 'records.json' })`,
  };
  throw new PatchgateError('bad-usage', `${asked} takes its options as an object, not ${what}`, {
    hint: `give them like ${hint[asked]}`,
  });
}

async function startGate(
  asked: Kind,
  { notice = say, failOnMiss = false, seed, ...options }: FakeOptions,
): Promise<FakeGate> {
  if (typeof failOnMiss !== 'boolean')
    throw misuse(`failOnMiss cannot be ${JSON.stringify(failOnMiss)}`, 'it is true or false');
  const settings = typeof seed === 'object' ? options : { ...options, seed };
  const told = (text: string) => notice(inOptions(text));
  const { kind, failUnused, failOnBlock, ...inForceNow } = await inForce(asked, settings, told);
  // A test may change the working folder.
  const config = { ...inForceNow.config, recordings: resolve(inForceNow.config.recordings) };
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
    gate,
    url,
    stopListening() {
      closed();
      return close();
    },
    notice,
    recording: config.recording,
    folder: shortPath(join(config.recordings, config.recording), process.cwd()),
    isRecording: kind === 'proxy' && config.record !== undefined && config.record !== 'none',
    failUnused,
    failOnMiss,
    failOnBlock,
    hasFaults: options.faults !== undefined,
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
  const closed = closeAtEnd({ notice, close: testGate.close });
  return testGate;
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
