import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import type { RecordName } from '../../model/record.ts';
import { visible } from '../../reporters/wording.ts';
import { KnownState } from '../../state/known-state.ts';
import { ageText } from '../recordings/units.ts';
import type { TargetSettings } from './read-target.ts';
import type { Source, Told } from './source.ts';

export interface Question {
  name: RecordName;
  /** The path of the project. */
  path: string;
  /** The workspace that `current` means, where that is known. */
  account: string | undefined;
  gate: Gate;
  target: TargetSettings;
  /** Milliseconds since the epoch. */
  now: number;
}

const READ_IT = 'read it from the service: --from-target URL';

/**
 * What a source says that a project holds.
 *
 * @throws PatchgateError where the source cannot be read, or does not hold what it must
 */
export async function ask(source: Source, question: Question): Promise<Told> {
  const { name, path, account, gate, target, now } = question;
  if (source.kind === 'target') {
    const { readTarget } = await import('./read-target.ts');
    const known = await readTarget(source.url, source.headers, name, path, target);
    return { known, source: source.url, advice: '' };
  }
  const state = new KnownState({ account });
  if (source.kind === 'recording') {
    const { readRecording } = await import('./read-recording.ts');
    await readRecording(source.folder, source.name, gate, state);
    return {
      known: state.of(name),
      source: `the recording ${source.name}`,
      advice: `record a GET of it, or ${READ_IT}`,
    };
  }
  const { file, mustExist } = source;
  const { readState } = await import('./read-state.ts');
  const read = await readState(file, state);
  if (!read && mustExist) {
    throw new PatchgateError('bad-input', `cannot read the state ${visible(file)}: it does not exist`, {
      hint: 'check the path given with --state; patchgate proxy writes one',
    });
  }
  const advice = `let a GET or a PATCH of it pass through patchgate proxy, or ${READ_IT}`;
  if (!read) return { known: undefined, source: `${file}, which does not exist`, advice };
  const age = ageText(read.writtenAt, now);
  const from = read.target === undefined ? '' : `, about ${read.target}`;
  return {
    known: state.of(name),
    source: `${file} (written ${age === 'now' ? 'just now' : `${age} ago`}${from})`,
    advice,
  };
}
