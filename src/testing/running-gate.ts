/** A gate as the thread that runs it sees it. */
import { join, resolve } from 'node:path';
import { orClose } from '../app/closing.ts';
import type { ServerKind } from '../app/compose-upstream.ts';
import { rulesOf } from '../app/open-recording.ts';
import { createPatchgate, type Patchgate } from '../app/patchgate.ts';
import { replayOrRecord, type Wording } from '../app/replay-or-record.ts';
import {
  crossSessionText,
  missesText,
  neverHappenedText,
  sessionText,
  unservedText,
} from '../app/run-text.ts';
import { refusedTexts } from '../commands/exec/refused-text.ts';
import { PatchgateError } from '../errors.ts';
import type { JsonObject } from '../json/json.ts';
import { hintWith } from '../recordings/explain.ts';
import { hasJournal } from '../recordings/merge-files.ts';
import { openStore } from '../recordings/store.ts';
import { recordedText } from '../reporters/wording.ts';
import { AS_SENT, type ExchangeFilter } from '../server/exchange-list.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { type Config, resolveConfig } from '../settings/config.ts';
import { shortPath } from '../settings/config-file.ts';
import { COMMAND_DEFAULTS, variableOf } from '../settings/settings.ts';
import type { State } from '../upstreams/fake/seed.ts';
import type { Missed, MissedRequest } from '../upstreams/replay/misses.ts';
import type { FaultSettings, Served } from './test-gate.ts';
import { inOptions, misuse } from './with-hint.ts';

/** What a gate is started with: plain data. */
export interface Start {
  kind: ServerKind;
  options: Readonly<Record<string, unknown>>;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}

type RecordPlace = Readonly<Record<'account' | 'kind' | 'id', string>>;

/** What a test's thread can ask of a gate. Without a session: of all. */
export type GateCalls = Awaited<ReturnType<typeof startGate>>['calls'];
type Session = string | undefined;

const WORDING: Wording = {
  flag: (name) => `the option ${name}`,
  target: "give the option target: 'https://staging.example.com/api/v2', or PATCHGATE_TARGET",
  record:
    'record it: PATCHGATE_RECORD=all PATCHGATE_TARGET=URL, or name the folder with the option recordings',
};

/** Unless the options say otherwise: many gates run at a time, and none leaves anything behind. */
const OWN = { port: 0, log: 'off', state: false };

/** @throws PatchgateError if an option is wrong, or there is no such recording */
export async function startGate(start: Start, notice: (text: string) => void) {
  const { kind, config } = await inForce(start, notice);
  if (kind === 'replay') await finishRecording(config, notice);
  const { seed, fault } = start.options;
  const gate = await createPatchgate(kind, config, {
    writeLog: (text) => process.stdout.write(text),
    notice,
    env: start.env,
    isBrief: true,
    ...(typeof seed === 'object' && { seed: seed as State }),
  }).catch((error: unknown) => {
    throw sayingWhatToDo(error, config);
  });
  const { url, close: stopListening } = await orClose(gate, () => gate.listen());
  const isRecording = kind === 'proxy' && config.record !== undefined && config.record !== 'none';
  /** How often each had missed when a test asked. */
  const asked = new Map<string, number>();

  function ask(session: Session): Missed {
    const missed = gate.misses(session);
    for (const miss of missed.misses) asked.set(keyOf(miss), miss.count);
    return missed;
  }

  /** What nobody has asked for: most often a client failed of it before its test could. */
  function closingTexts() {
    const all = gate.misses();
    const misses = all.misses
      .map((miss) => ({ ...miss, count: miss.count - (asked.get(keyOf(miss)) ?? 0) }))
      .filter(({ count }) => count > 0);
    const count = misses.reduce((sum, miss) => sum + miss.count, 0);
    return [
      textOfMisses({ ...all, count, misses }, config),
      ...refusedTexts(gate, BY_VARIABLES, isRecording),
      gate.counts().requests === 0 && `no request came to the gate: its client must ask ${url}`,
      crossSessionText(gate.crossSessionHits(), BY_VARIABLES.record),
      ...(fault === undefined ? [] : gate.faults.neverHappened().map(neverHappenedText)),
    ];
  }

  const calls = {
    exchanges(session: Session, filter: ExchangeFilter = {}): ShownExchange[] {
      checkFilter(filter);
      return [...gate.exchanges(session === undefined ? filter : { ...filter, session })].reverse();
    },
    served(session: Session): Served {
      const { exchanges, areCut } = gate[AS_SENT]({ session });
      const [sent, shown] = [[...exchanges], [...gate.exchanges({ session })]];
      const pairs = sent.map((one, index) => ({ sent: one, shown: shown[index] ?? one }));
      return { exchanges: pairs.reverse(), areCut };
    },
    misses: (session: Session): MissedRequest[] => ask(session).misses,
    /** Why `assertNoMisses` fails. */
    missesText(session: Session): string | undefined {
      const texts = [textOfMisses(ask(session), config), failuresText(gate, kind, session)];
      return texts.filter(Boolean).join('\n') || undefined;
    },
    /** Why `assertAllServed` fails. */
    async unservedText(session: Session): Promise<string | undefined> {
      const unserved = await gate.unserved(session);
      if (!unserved && kind !== 'replay' && !isRecording)
        throw misuse('no recording answers here, so nothing of it is served', 'ask a gate of startReplay()');
      if (unserved && session !== undefined && unserved.total === 0)
        return `nothing in "${unserved.recording}" was recorded in ${sessionText(session)}: record it anew, or ask the gate what was served in all`;
      return unserved?.count ? inOptions(unservedText(unserved)) : undefined;
    },
    setFaults: (session: Session, faults: FaultSettings) => gate.faults.set(faults, session),
    reset: (session: Session): void => gate.reset(session),
    record: (session: Session, place: RecordPlace) => gate.records?.get(place, session ?? ''),
    setRecord: (session: Session, place: RecordPlace, record: object) =>
      gate.records?.set(place, record as JsonObject, session ?? ''),
    async close(): Promise<void> {
      try {
        await stopListening();
        for (const text of closingTexts()) if (text) notice(text);
      } finally {
        await gate.close();
      }
      const recorded = gate.recorded();
      const folder = shortPath(join(config.recordings, config.recording), start.cwd);
      if (recorded !== undefined) notice(recordedText(recorded, folder));
    },
  };
  return { url, calls };
}

/** How a test is run again so that a PATCH may delete. */
const BY_VARIABLES = {
  again: 'record it anew with',
  allowDelete: `${variableOf('allowDelete')}=`,
  noGuard: `${variableOf('guard')}=off`,
  record: 'PATCHGATE_RECORD=all PATCHGATE_TARGET=URL, and that test alone',
};

const keyOf = ({ session, text }: MissedRequest) => `${session}\n${text}`;

function textOfMisses(missed: Missed, { recording }: Config): string | undefined {
  const again = 'PATCHGATE_RECORD=new_episodes PATCHGATE_TARGET=URL';
  const hintOf = ({ hint }: MissedRequest) => inOptions(hintWith(hint, recording, again));
  return missesText({ ...missed, misses: missed.misses.map((miss) => ({ ...miss, hint: hintOf(miss) })) });
}

/** Requests that Patchgate itself answered with 500; a replay counts them as misses. */
function failuresText(gate: Patchgate, kind: ServerKind, session?: string): string | undefined {
  if (kind === 'replay') return undefined;
  const failed = [...gate.exchanges({ session, bodies: false })].filter(
    ({ answeredBy, response, fault }) => answeredBy === 'gate' && response?.status === 500 && !fault,
  );
  if (failed.length === 0) return undefined;
  const lines = failed.map(({ request, failure }) => `\n  ${request.method} ${request.url}: ${failure}`);
  return `Patchgate itself failed, and answered 500:${lines.slice(0, 20).join('')}`;
}

/** @throws PatchgateError `bad-usage`: a misspelt filter would filter nothing */
function checkFilter(filter: object): void {
  const known = ['limit', 'outcome', 'session', 'bodies'];
  const unknown = Object.keys(filter).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw misuse(`exchanges: there is no filter ${JSON.stringify(unknown)}`, `there is: ${known.join(', ')}`);
}

/** Resolves the settings, and whether a replay is to record. */
async function inForce({ kind, options, env, cwd }: Start, notice: (text: string) => void) {
  const given = Object.entries({ ...OWN, ...options }).filter(
    ([name, value]) => value !== undefined && !(name === 'seed' && typeof value === 'object'),
  );
  const settings = Object.fromEntries(given);
  const resolved = await resolveConfig(settings, COMMAND_DEFAULTS[kind], env, cwd, WORDING.flag);
  if (kind === 'proxy' && resolved.config.target === undefined)
    throw new PatchgateError('bad-usage', 'no target is given', { hint: WORDING.target });
  const notices: string[] = [];
  const chosen =
    kind === 'replay'
      ? await replayOrRecord(resolved, env, (text) => notices.push(text), WORDING).catch((error) => {
          // That nothing is recorded in CI matters only if something is missing.
          notices.forEach(notice);
          throw error;
        })
      : { kind, config: resolved.config };
  // A test may change the working folder. A config file's inspector is for one gate.
  const recordings = resolve(cwd, chosen.config.recordings);
  return { kind: chosen.kind, config: { ...chosen.config, recordings, ui: options.ui as Config['ui'] } };
}

/** Moves what an ended process left in the journal into the files, so that git shows it. */
async function finishRecording(config: Config, onNotice: (text: string) => void): Promise<void> {
  if (!hasJournal(join(config.recordings, config.recording))) return;
  const options = { ...config, rules: rulesOf(config), onNotice, writable: true };
  const store = await openStore(config.recordings, config.recording, options).catch((error) => {
    // Another process is still at it, or this one may not write here: it is replayed from where it is.
    if (!/^(?:recording-in-use|cannot-write)$/.test(error.code)) throw error;
  });
  await store?.close();
}

function sayingWhatToDo(error: unknown, { recording }: Config): unknown {
  if (!(error instanceof PatchgateError) || error.code !== 'recording-in-use') return error;
  return new PatchgateError(error.code, `${error.message}; one gate at a time records into "${recording}"`, {
    hint: 'give each test or file a recording of its own, as recordingName(test) names them; under patchgate exec, start no gate and let the client use PATCHGATE_URL',
  });
}
