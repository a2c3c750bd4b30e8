import { describe, expect, it } from 'vitest';
import { readBody } from '../../../src/commands/plan/read-body.ts';
import { checkOverrides } from '../../../src/settings/extras/check-overrides.ts';
import { project } from '../../support/bodies.ts';
import { brief, gate } from '../../support/gate.ts';

const PATH = '/accounts/current/projects/42';

describe('the body of a plan', () => {
  it('is judged with the severities of its file and its path', async () => {
    const rules = { 'schema.unknown-field': 'error' };
    const written = [
      { files: 'strict/**', rules },
      { paths: '**/projects/7', rules },
    ];
    const overrides = await checkOverrides(written, { where: 'the config', folder: '/repo' });
    const bytes = Buffer.from(JSON.stringify({ ...project(), owner: 1 }));
    const said = (path: string, file: string | undefined) =>
      brief(
        readBody(gate({ overrides }), path, { name: 'x', path: file, bytes, kind: 'body' }).against(undefined)
          .findings,
      );
    expect(said(PATH, '/repo/strict/a.json')).toEqual(['schema.unknown-field error /owner']);
    expect(said(PATH, '/repo/a.json')).toEqual(['schema.unknown-field warn /owner']);
    expect(said(PATH, undefined)).toEqual(['schema.unknown-field warn /owner']);
    expect(said('/accounts/1/projects/7', undefined)).toEqual(['schema.unknown-field error /owner']);
  });
});
