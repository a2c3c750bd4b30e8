import { expect, it } from 'vitest';
import { SecretNotices } from '../../../src/recordings/redaction/redact.ts';
import { DEFAULT_REDACTION } from '../../../src/recordings/redaction/redaction.ts';

const request = (url: string) => ({ method: 'PATCH', url, headers: [] });
const found = (place: string, isDetected = true) => ({
  what: 'a GitHub token',
  place,
  isDetected,
  value: 's3cret',
});

it('tells once of each kind and place, without the value', () => {
  const told: string[] = [];
  const notices = new SecretNotices((text) => told.push(text));
  notices.tell(found('/list/0/ci'), request('/projects/42?token=s3cret'), DEFAULT_REDACTION);
  notices.tell(found('/list/7/ci'), request('/projects/43'), DEFAULT_REDACTION);
  notices.tell(found('/token', false), request('/projects/42'), DEFAULT_REDACTION);
  notices.tell(found('body'), request('/projects/42'), DEFAULT_REDACTION);
  expect(told).toEqual([
    'redacted a GitHub token in /list/0/ci of PATCH /projects/42; name the field with --redact ci',
    'redacted a GitHub token in body of PATCH /projects/42',
  ]);
});

it('falls silent after a hundred', () => {
  const told: string[] = [];
  const notices = new SecretNotices((text) => told.push(text));
  for (let i = 0; i < 500; i++) notices.tell(found(`/name${i}`), request('/a'), DEFAULT_REDACTION);
  expect(told.length).toBe(101);
  expect(told.at(-1)).toBe('further values that look like secrets are redacted without a word');
});
