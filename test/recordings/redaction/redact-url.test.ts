import { describe, expect, it } from 'vitest';
import { pathsWithToken, redactPath } from '../../../src/recordings/redaction/redact.ts';
import { redactionOf, rememberGiven } from '../../../src/recordings/redaction/redaction.ts';

const KEY = '5e884898da28047151d0e56f';

describe('redactPath', () => {
  it('hides a token that another message has named', () => {
    const redaction = redactionOf();
    expect(redactPath(`/settings/${KEY}`, redaction)).toBe(`/settings/${KEY}`);
    rememberGiven(redaction, { what: 'the name "token"', place: '/token', isDetected: false, value: KEY });
    expect(redactPath(`/settings/${KEY}/a`, redaction)).toBe('/settings/[redacted]/a');
    expect(redactPath('/settings/%5Bredacted%5D', redaction)).toBe('/settings/[redacted]');
  });

  it('hides nothing by its form where that is turned off', () => {
    const path = '/share/q7Rw2Zt9Lp4Xc8Vb1Nm6Ks3Hd5Fg0Jy2Tz9Qa4';
    expect(redactPath(path, redactionOf())).toBe('/share/[redacted]');
    expect(redactPath(path, redactionOf({ detectSecrets: false }))).toBe(path);
  });
});

describe('pathsWithToken', () => {
  it('names the paths under which one may be recorded whose token only the recorder knew', () => {
    expect(pathsWithToken(`/settings/${KEY}/42`)).toEqual([`/settings/${KEY}/42`, '/settings/[redacted]/42']);
  });
});
