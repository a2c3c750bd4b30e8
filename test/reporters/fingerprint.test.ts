import { describe, expect, it } from 'vitest';
import { fingerprintsOf, identityOf, omittedIdentityOf } from '../../src/reporters/fingerprint.ts';
import type { CheckedFile } from '../../src/reporters/report.ts';
import { checkedFile, finding, subject } from '../support/checked.ts';

function printsOf(...files: CheckedFile[]): string[] {
  return [...fingerprintsOf({ files }).values()];
}

describe('the fingerprint of a finding', () => {
  it('is the same when lines, the request before it or its severity change', () => {
    const [before] = printsOf(checkedFile('a.json', subject([finding()])));
    const moved = subject([finding({ line: 9, column: 9, severity: 'warn' })], { pointer: '/exchanges/4' });
    expect(printsOf(checkedFile('./a.json', subject([]), moved))).toEqual([before]);
    expect(before).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is another in another file, and of each that is alike', () => {
    const alike = () => subject([finding(), finding()]);
    const prints = printsOf(checkedFile('a.json', alike(), alike()), checkedFile('b.json', alike()));
    expect(new Set(prints).size).toBe(6);
  });
});

describe('the identity of a finding in its file', () => {
  const print = identityOf(subject([]), finding());

  it.each([{ rule: 'schema.type' }, { pointer: '/name' }, { message: 'another environment is left out' }])(
    'depends on %j',
    (other) => {
      expect(identityOf(subject([]), finding(other))).not.toBe(print);
    },
  );

  it.each([{ method: 'POST' }, { path: '/v2/accounts/current/projects/43' }, { path: undefined }])(
    'depends on %j',
    (other) => {
      expect(identityOf({ ...subject([]), ...other } as never, finding())).not.toBe(print);
    },
  );

  it('does not depend on the query, nor on a line that a message names', () => {
    const asked = subject([], { path: '/v2/accounts/current/projects/42?a=b' });
    expect(identityOf(asked, finding())).toBe(print);
    const said = (line: number) => finding({ message: `no JSON: x (line ${line}, column 7)` });
    expect(identityOf(asked, said(1))).toBe(identityOf(asked, said(2)));
  });

  it('is none of those that were left out', () => {
    expect(omittedIdentityOf(subject([]))).not.toBe(print);
    expect(omittedIdentityOf(subject([]))).toBe(omittedIdentityOf(subject([finding()], { omitted: 7 })));
  });
});
