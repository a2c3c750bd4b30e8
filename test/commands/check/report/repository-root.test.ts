import { expect, test } from 'vitest';
import { repositoryRoot } from '../../../../src/commands/check/report/repository-root.ts';

test.each([
  [{}, '/repo/gate'],
  [{ GITHUB_WORKSPACE: '/repo' }, '/repo'],
  [{ CI_PROJECT_DIR: '/repo/gate' }, '/repo/gate'],
  [{ GITHUB_WORKSPACE: '/elsewhere', CI_PROJECT_DIR: '/repo' }, '/repo'],
  [{ GITHUB_WORKSPACE: '/rep' }, '/repo/gate'],
  [{ GITHUB_WORKSPACE: '' }, '/repo/gate'],
  [{ GITHUB_WORKSPACE: '../'.repeat(20) }, '/repo/gate'],
])('%j: %s', (env, root) => {
  expect(repositoryRoot('/repo/gate', env)).toBe(root);
});
