import { describe, expect, it } from 'vitest';
import { BodyTargets } from '../../../src/commands/check/body-targets.ts';
import { checkBodies } from '../../support/extras.ts';
import { gate } from '../../support/gate.ts';

const GATE = gate({ guard: 'off' });
const mapped = (...bodies: object[]) => checkBodies(bodies, { where: 'the config', folder: '/repo' });

describe('what a body is judged as', () => {
  it('is what the options say, then the first mapping that is for its file', async () => {
    const bodies = await mapped(
      { files: 'a/**', operation: 'updateDraft' },
      { files: '*.json', path: '/accounts/current/features/7' },
    );
    const targets = new BodyTargets(GATE, { bodies });
    expect(targets.of('/repo/a/x.json', 'a/x.json').match.operation).toBe('updateDraft');
    expect(targets.of('/repo/b/x.json', 'b/x.json')).toMatchObject({
      match: { operation: 'updateFeature' },
      record: { kind: 'feature', id: '7' },
    });
    const given = new BodyTargets(GATE, { operation: 'updateProject', bodies });
    expect(given.of('/repo/a/x.json', 'a/x.json').match.operation).toBe('updateProject');
    expect(given.of(undefined, '<stdin>').match.operation).toBe('updateProject');
  });

  it('is asked for where nothing says it', async () => {
    const bodies = await mapped({ files: '**', operation: 'updateDraft' });
    for (const [as, file] of [
      [{}, '/repo/x.json'],
      [{ bodies }, undefined],
    ] as const) {
      expect(() => new BodyTargets(GATE, as).of(file, 'x.json')).toThrow(
        expect.objectContaining({
          code: 'bad-usage',
          message: 'nothing says which operation the body x.json is for',
          hint: expect.stringMatching(/--operation.*updateProject.*--path.*"bodies" in the config file/),
        }),
      );
    }
  });

  it.each([
    [{ operation: 'updateX' }, 'bad-usage', /^the contract has no operation "updateX"/],
    [{ path: '/x' }, 'bad-usage', /^no operation of the contract is a PATCH of \/x/],
  ])('%j names nothing', (as, code, message) => {
    expect(() => new BodyTargets(GATE, as)).toThrow(
      expect.objectContaining({
        code,
        message: expect.stringMatching(message),
        hint: expect.stringContaining('updateDraft'),
      }),
    );
  });

  it.each([
    [{ operation: 'updateX' }, 'bodies[1].operation in the config: the contract has no operation "updateX"'],
    [{ path: '/x' }, 'bodies[1].path in the config: no operation of the contract is a PATCH of /x'],
  ])('the mapping %j names nothing, used or not', async (as, message) => {
    const bodies = await mapped({ files: 'a', operation: 'updateDraft' }, { files: 'b', ...as });
    expect(() => new BodyTargets(GATE, { bodies })).toThrow(
      expect.objectContaining({ code: 'bad-config', message, hint: expect.stringContaining('updateDraft') }),
    );
  });
});
