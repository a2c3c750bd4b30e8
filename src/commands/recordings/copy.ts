import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import { withDatabase } from '../../app/open-database.ts';
import { PatchgateError } from '../../errors.ts';
import type { Database } from '../../postgres/database.ts';
import { findRecording, recordingNames } from '../../recordings/find-recording.ts';
import { checkRecordingName } from '../../recordings/store/location.ts';
import { openStore } from '../../recordings/store/open-store.ts';
import { amount } from '../../reporters/wording.ts';
import { type Config, resolveConfig } from '../../settings/config.ts';
import { flagsOf, isOn, MATCHING, RECORDINGS, REDACTION, withSettings } from '../options.ts';
import { type Output, say, standardOutput } from '../output.ts';
import { putOptionsOf } from './work-on-files.ts';

/** As the builder has yargs read them. */
interface Args {
  names?: string[];
  toStore: boolean;
  fromStore: boolean;
  replace: boolean;
}

export const copy: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [...RECORDINGS, 'run', ...MATCHING, ...REDACTION])
      .positional('names', {
        type: 'string',
        array: true,
        describe: 'Names of recordings; all where none is given',
      })
      .options({
        'to-store': isOn('From files into the database of --store'),
        'from-store': isOn('From the database of --store into files'),
        replace: isOn('Drop what is recorded there under the same name; otherwise that is refused'),
      })
      .example('$0 recordings copy checkout --to-store', 'for the gates of a fleet')
      .example('$0 recordings copy --from-store --replace', 'all of them, to be committed'),
  handler: async (argv) => {
    const { config } = await resolveConfig(flagsOf(argv));
    const { names = [], toStore, fromStore, replace } = argv as unknown as Args;
    if (toStore === fromStore)
      throw new PatchgateError('bad-usage', 'it is not said which way to copy', {
        hint: 'give --to-store, or --from-store',
      });
    await withDatabase(config, async (database) => {
      if (!database)
        throw new PatchgateError('bad-usage', 'there is no database to copy to or from', {
          hint: 'give --store postgres://user@db.example.com/patchgate, or set PATCHGATE_STORE',
        });
      await copyAll(database, { names, toStore, replace, config }, standardOutput());
    });
  },
};

interface CopyArgs {
  /** None: all that are there. */
  names: readonly string[];
  /** Else from the database into files. */
  toStore: boolean;
  /** What is there under the same name goes. */
  replace: boolean;
  config: Config;
}

/** @throws PatchgateError `bad-usage`, before anything is copied, where a recording is missing or one is there already */
async function copyAll(database: Database, args: CopyArgs, output: Output): Promise<void> {
  const { names, toStore, replace, config } = args;
  const { recordings: folder } = config;
  const { findPaths, recordingsIn, requireStored } = await import('../../postgres/stored-paths.ts');
  const { putFilesIn, readOut, removeOthers } = await import('../../postgres/copy-recording.ts');
  for (const name of names) await (toStore ? findRecording(folder, name) : requireStored(database, name));
  const inFiles = () => recordingNames(folder);
  const stored = () => recordingsIn(database);
  const all = names.length > 0 ? names : await (toStore ? inFiles() : stored());
  const there = replace ? [] : await (toStore ? stored() : inFiles());
  if (all.length === 0) await output.write(`no recordings in ${toStore ? folder : database.name}\n`);
  for (const name of all) {
    checkRecordingName(name);
    if (there.includes(name)) throw alreadyThere(name, toStore ? database.name : folder);
  }
  for (const name of all) {
    const root = join(folder, name);
    // What waits comes into the files, and no other process writes as long as it is open.
    const store = await openStore(folder, name, { writable: true, onNotice: say });
    try {
      let count: number;
      if (toStore) count = await putFilesIn(database, name, root, { ...putOptionsOf(config), drops: 'all' });
      else {
        const paths = await findPaths(database, name);
        removeOthers(root, await readOut(database, paths, folder));
        count = paths.reduce((sum, { exchanges }) => sum + exchanges, 0);
      }
      await output.write(
        `copied ${amount(count, 'exchange')} to ${toStore ? `${database.name}/${name}` : root}\n`,
      );
    } finally {
      await store.close();
    }
  }
}

function alreadyThere(name: string, where: string): PatchgateError {
  return new PatchgateError('bad-usage', `there is a recording "${name}" in ${where} already`, {
    hint: '--replace drops what it holds; patchgate recordings export and import add to it',
  });
}
