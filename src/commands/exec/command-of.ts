import { PatchgateError } from '../../errors.ts';
import { meantBehindFlag, meantBy } from '../misplaced.ts';

/** A command as it is to be run: never without a name. */
export type Command = readonly [name: string, ...args: string[]];

/**
 * What stands behind the first `--`, letter by letter: yargs takes it apart.
 *
 * @param args as the program is given them
 * @param before what stands before it and is no option
 * @throws PatchgateError `bad-usage`
 */
export function commandOf(args: readonly string[], before: readonly string[]): Command {
  const at = args.indexOf('--');
  const [name, ...rest] = at < 0 ? [] : args.slice(at + 1);
  if (before.length > 0) {
    const [first = ''] = before;
    // Without --, any word may be the command's.
    const meant =
      at < 0 ? meantBehindFlag(first, args) : meantBy(first, args, ['recording', 'target', 'port']);
    const command = at < 0 ? before.join(' ') : 'COMMAND';
    throw new PatchgateError('bad-usage', `${JSON.stringify(first)} stands before --`, {
      hint: meant
        ? `did you mean ${meant}?`
        : `options first, then --, then the command: patchgate exec -- ${command}`,
    });
  }
  if (name === undefined || name === '') {
    throw new PatchgateError('bad-usage', 'no command is given', {
      hint: 'it stands behind --: patchgate exec --recording checkout -- npm test',
    });
  }
  return [name, ...rest];
}
