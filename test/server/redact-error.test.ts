import { expect, it } from 'vitest';
import { PatchgateError } from '../../src/errors.ts';
import { DEFAULT_REDACTION } from '../../src/recordings/redaction/redaction.ts';
import { redactError } from '../../src/server/redact-error.ts';

const GITHUB = `ghp_${'a1B2'.repeat(9)}`;

it('hides what an error quotes, and keeps its code', () => {
  const error = new PatchgateError('no-recording', `nothing for /x/${GITHUB}`, {
    hint: `not ${GITHUB}`,
    details: { nearest: { path: `/y/${GITHUB}`, query: undefined } },
  });
  const clean = redactError(error, DEFAULT_REDACTION);
  expect(clean).toMatchObject({
    code: 'no-recording',
    message: 'nothing for /x/[redacted]',
    hint: 'not [redacted]',
    details: { nearest: { path: '/y/[redacted]' } },
  });
});

it('gives back the very error that quotes nothing secret', () => {
  const error = new PatchgateError('no-recording', 'nothing', { details: { a: 1 } });
  expect(redactError(error, DEFAULT_REDACTION)).toBe(error);
});
