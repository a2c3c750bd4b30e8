import { describe, expect, it } from 'vitest';
import { checkSuppressions } from '../../../src/settings/extras/check-suppressions.ts';
import { laterRefusal } from '../../support/errors.ts';

const ONE = { rule: 'schema.required', pointer: '/languages', reason: 'sent by the old client' };
const source = { where: 'the config', folder: '/repo' };

function refused(given: unknown): Promise<string> {
  return laterRefusal('bad-config', checkSuppressions(given, source));
}

describe('suppressions', () => {
  it('are none where nothing is said', async () => {
    expect(await checkSuppressions(undefined, source)).toEqual([]);
  });

  it('are read, with globs from the folder of the config file', async () => {
    const given = [{ ...ONE, expires: '2028-02-29', files: ['legacy/**'], paths: ['/accounts/1/**'] }];
    const [one] = await checkSuppressions(given, source);
    expect(one).toMatchObject({
      ...ONE,
      expires: '2028-02-29',
      name: 'suppressions[0]',
      rulePlace: 'suppressions[0].rule in the config',
    });
    expect(['/repo/legacy/a/b.json', '/repo/a.json'].map((file) => one?.files?.(file))).toEqual([
      true,
      false,
    ]);
    const paths = ['/api/v2/accounts/1/projects/42/', '/accounts/1/drafts/3?a=b', '/accounts/2/drafts/3'];
    expect(paths.map((path) => one?.paths?.(path))).toEqual([true, true, false]);
    const [short] = await checkSuppressions([{ ...ONE, files: 'a*.json' }], source);
    expect(['/repo/x/a1.json', '/repo/b.json'].map((file) => short?.files?.(file))).toEqual([true, false]);
    expect(one?.paths?.(`/accounts/1/${'a'.repeat(1000)}`)).toBe(false);
  });

  it.each([
    [{}, 'suppressions in the config must be a list'],
    [[null], 'suppressions[0] in the config must be an object'],
    [
      [ONE, { ...ONE, file: ['a'] }],
      'suppressions[1].file in the config is not known (did you mean "files"?)',
    ],
    [
      [{ ...ONE, comment: 'x' }],
      'suppressions[0].comment in the config is not known (it has: rule, files, paths, pointer, reason, expires)',
    ],
    [[{ ...ONE, rule: undefined }], 'suppressions[0].rule in the config is missing'],
    [[{ ...ONE, rule: 1 }], 'suppressions[0].rule in the config: 1 is not taken'],
    [[{ ...ONE, reason: undefined }], 'suppressions[0].reason in the config is missing'],
    [[{ ...ONE, reason: ' \n' }], 'suppressions[0].reason in the config: " \\n" is not taken'],
    [[{ ...ONE, files: '!legacy/**' }], 'suppressions[0].files in the config: "!legacy/**" is not taken'],
    [[{ ...ONE, files: [] }], 'suppressions[0].files in the config: [] is not taken'],
    [[{ ...ONE, paths: [''] }], 'suppressions[0].paths in the config: [""] is not taken'],
    [[{ ...ONE, pointer: 'languages' }], 'suppressions[0].pointer in the config: "languages" is not taken'],
    [[{ ...ONE, pointer: undefined }], 'suppressions[0] in the config says nothing of the place'],
    [[{ ...ONE, expires: '2026-02-30' }], 'suppressions[0].expires in the config: "2026-02-30" is not taken'],
    [[{ ...ONE, expires: '2026-13-01' }], 'suppressions[0].expires in the config: "2026-13-01" is not taken'],
    [[{ ...ONE, expires: '1.1.2027' }], 'suppressions[0].expires in the config: "1.1.2027" is not taken'],
    [[{ ...ONE, expires: 2027 }], 'suppressions[0].expires in the config: 2027 is not taken'],
  ])('%j are refused', async (given, message) => {
    expect(await refused(given)).toContain(message);
  });

  it('are refused with the line where they stand in a file', async () => {
    const text = JSON.stringify({ suppressions: [{ ...ONE, expires: 'soon' }] }, null, 2);
    const given = (JSON.parse(text) as { suppressions: unknown }).suppressions;
    const inFile = { where: 'patchgate.config.json', folder: '/repo', text };
    expect(await laterRefusal('bad-config', checkSuppressions(given, inFile))).toBe(
      'suppressions[0].expires in patchgate.config.json:7:18: "soon" is not taken (it takes the last day on which it holds: 2026-12-31)',
    );
  });
});
