import { expect, it } from 'vitest';
import { commandOf } from '../../src/commands/exec.ts';
import { refusal } from '../support/errors.ts';

it('the command is all behind the first --, letter by letter', () => {
  const command = ['npm', 'test', '--', '--help', '', '-', '--env=X=1', '007', '--', 'a  b'];
  expect(commandOf(['exec', '--recording', 'demo', '--', ...command], [])).toEqual(command);
});

it.each([
  [
    ['exec', 'npm', 'test'],
    ['npm', 'test'],
    'unexpected argument "npm" before --',
    'patchgate exec -- npm test',
  ],
  [['exec', '@a', '--', 'npm'], ['@a'], 'unexpected argument "@a" before --', 'options first, then --'],
  [['exec'], [], 'no command is given', '-- npm test'],
  [['exec', '--'], [], 'no command is given', '-- npm test'],
  [['exec', '--', ''], [], 'no command is given', '-- npm test'],
])('%s has no command', (args, before, what, hint) => {
  const text = refusal('bad-usage', () => commandOf(args, before));
  expect(text).toContain(what);
  expect(text).toContain(hint);
});
