import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { messageOf, PatchgateError, systemCode, whyUnreadable } from '../src/errors.ts';

it('an error has the status and the exit code of its code', () => {
  const cause = new Error('below');
  const error = new PatchgateError('target-timeout', 'too slow', {
    hint: 'wait',
    cause,
    details: { after: 5 },
  });
  expect(error).toMatchObject({
    name: 'PatchgateError',
    code: 'target-timeout',
    message: 'too slow',
    hint: 'wait',
    details: { after: 5 },
    cause,
    status: 504,
    exitCode: 2,
  });
  expect(error).toBeInstanceOf(Error);
});

it('has no members that it was not given', () => {
  const error = new PatchgateError('internal', 'x');
  expect('cause' in error).toBe(false);
  expect([error.hint, error.details, error.status]).toEqual([undefined, undefined, 500]);
});

it.each([
  ['no-recording', 501],
  ['target-unreachable', 502],
  ['not-allowed', 403],
  ['not-found', 404],
  ['request-too-large', 413],
] as const)('%s is answered with %i', (code, status) => {
  expect(new PatchgateError(code, 'x').status).toBe(status);
});

it("reads the system's codes, and a message from whatever was thrown", () => {
  expect(systemCode(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe('ENOENT');
  for (const thrown of [new Error('x'), Object.assign(new Error('x'), { code: 5 }), { code: 'ENOENT' }, null])
    expect(systemCode(thrown)).toBeUndefined();
  expect([new Error('x'), 'x', 5, undefined].map(messageOf)).toEqual(['x', 'x', '5', 'undefined']);
});

it('says in words why a file cannot be read', () => {
  const said = (code: string) => whyUnreadable(Object.assign(new Error(`${code}: open 'x'`), { code }));
  expect(['ENOENT', 'EACCES', 'EISDIR'].map(said)).toEqual([
    'it does not exist',
    'permission denied',
    'it is a folder',
  ]);
  expect(said('EIO')).toBe("EIO: open 'x'");
});

it('reads errors of another realm, as those of Node are where Jest runs', () => {
  const error: unknown = runInNewContext("Object.assign(new Error('gone'), { code: 'ENOENT' })");
  expect(error).not.toBeInstanceOf(Error);
  expect([systemCode(error), messageOf(error)]).toEqual(['ENOENT', 'gone']);
});
