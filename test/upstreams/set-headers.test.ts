import { describe, expect, it } from 'vitest';
import { readSetHeaders, secretsOf } from '../../src/upstreams/outgoing.ts';
import { refusal } from '../support/errors.ts';

const ENV = { TOKEN: 'Bearer s3cret=1', EMPTY: '', BROKEN: 'x\n' };
const read = (...texts: string[]) => readSetHeaders(texts, ENV);

describe('headers for the target', () => {
  it('are set, taken from the environment, or left out', () => {
    expect(read()).toBeUndefined();
    const { names, added } =
      read('Authorization=env:TOKEN', 'X-Team=a=b', 'Cookie=', 'x-env=environment') ?? {};
    expect([...(names ?? [])]).toEqual(['authorization', 'x-team', 'cookie', 'x-env']);
    expect(added).toEqual(['Authorization', 'Bearer s3cret=1', 'X-Team', 'a=b', 'x-env', 'environment']);
  });

  it.each([
    ['Host=a', 'the header Host cannot be set'],
    ['content-length=1', 'cannot be set'],
    ['Transfer-Encoding=chunked', 'cannot be set'],
    ['Patchgate-Approve=x', 'cannot be set'],
    ['X_HTTP_Method_Override=DELETE', 'cannot be set'],
    ['X-Original-URL=/a', 'cannot be set'],
    ['A=env:NONE', 'the variable NONE, which is not set'],
    ['A=env:EMPTY', 'the variable EMPTY, which is not set'],
    ['A=env:BROKEN', 'holds a character that no header can have'],
  ])('%s is refused', (text, why) => {
    expect(refusal('bad-usage', () => read(text))).toContain(why);
  });

  it('of the environment are secrets, as far as it has them', () => {
    expect(secretsOf(['A=env:TOKEN', 'B=literal', 'C=env:NONE', 'D='], ENV)).toEqual(['Bearer s3cret=1']);
  });
});
