import { describe, expect, it } from 'vitest';
import { checkBodies } from '../../../src/settings/extras/check-bodies.ts';
import { laterRefusal } from '../../support/errors.ts';

const source = { where: 'the config', folder: '/repo' };

describe('bodies', () => {
  it('are none where nothing is said', async () => {
    expect(await checkBodies(undefined, source)).toEqual([]);
  });

  it('say what files are judged as, with globs from the folder of the config file', async () => {
    const [first, second] = await checkBodies(
      [
        { files: 'bodies/projects/**', operation: 'updateProject' },
        { files: ['a*.json', 'x/b.json'], path: '/accounts/current/drafts/1' },
      ],
      source,
    );
    expect(first).toMatchObject({ operation: 'updateProject', place: 'bodies[0].operation in the config' });
    expect(second).toMatchObject({
      path: '/accounts/current/drafts/1',
      place: 'bodies[1].path in the config',
    });
    const files = [
      '/repo/bodies/projects/a/b.json',
      '/repo/deep/a1.json',
      '/repo/x/b.json',
      '/elsewhere/x/b.json',
    ];
    expect(files.map((file) => first?.files(file))).toEqual([true, false, false, false]);
    expect(files.map((file) => second?.files(file))).toEqual([false, true, true, false]);
  });

  it.each([
    [{}, 'bodies in the config must be a list'],
    [['a.json'], 'bodies[0] in the config must be an object'],
    [[{ operation: 'a' }], 'bodies[0].files in the config must be a glob, or a list of globs'],
    [[{ files: '!a', operation: 'a' }], 'bodies[0].files in the config must be'],
    [[{ files: [], operation: 'a' }], 'bodies[0].files in the config must be'],
    [[{ files: ['a', 1], operation: 'a' }], 'bodies[0].files in the config must be'],
    [[{ files: 'a', path: '/' }, { files: 'a' }], 'bodies[1] in the config has neither operation nor path'],
    [[{ files: 'a', operation: 'a', path: '/' }], 'bodies[0] in the config has both operation and path'],
    [[{ files: 'a', operation: 1 }], 'bodies[0].operation in the config must be a text'],
    [[{ files: 'a', path: '' }], 'bodies[0].path in the config must be a text'],
    [[{ files: 'a', operaton: 'a' }], 'bodies[0].operaton in the config is no member of it'],
  ])('%j are refused', async (given, message) => {
    expect(await laterRefusal('bad-config', checkBodies(given, source))).toContain(message);
  });

  it('name the member that was meant, and the line', async () => {
    const text = '{\n  "bodies": [\n    { "file": "a", "operation": "b" }\n  ]\n}';
    const { bodies } = JSON.parse(text) as { bodies: unknown };
    await expect(checkBodies(bodies, { ...source, where: 'c.json', text })).rejects.toMatchObject({
      code: 'bad-config',
      message: 'bodies[0].file in c.json:3:7 is no member of it',
      hint: 'did you mean "files"?',
    });
  });
});
