import { expect, it } from 'vitest';
import { commandOf } from '../../../src/commands/exec/command-of.ts';
import { refusal } from '../../support/errors.ts';

it('is all behind the first --, letter by letter', () => {
  const command = ['npm', 'test', '--', '--help', '', '-', '--env=X=1', '007', '--', 'a  b'];
  expect(commandOf(['exec', '--recording', 'demo', '--', ...command], [])).toEqual(command);
});

it.each([
  [['exec', 'npm', 'test'], ['npm', 'test'], '"npm" stands before --', 'patchgate exec -- npm test'],
  [['exec', '@a', '--', 'npm'], ['@a'], '"@a" stands before --', 'options first, then --'],
  [['exec'], [], 'no command is given', '-- npm test'],
  [['exec', '--'], [], 'no command is given', '-- npm test'],
  [['exec', '--', ''], [], 'no command is given', '-- npm test'],
])('%s is none', (args, before, what, hint) => {
  const text = refusal('bad-usage', () => commandOf(args, before));
  expect(text).toContain(what);
  expect(text).toContain(hint);
});
