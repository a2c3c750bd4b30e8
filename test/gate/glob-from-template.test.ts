import { expect, it } from 'vitest';
import { globFromTemplate } from '../../src/gate/glob-from-template.ts';

const TEMPLATES = ['/accounts/{account_id}/projects/{project_id}', '/workspaces/{id}/flags/{key}'];

it.each([
  ['/accounts/*/projects/42', '/accounts/*/projects/42'],
  ['/accounts/1/projects/*/', '/accounts/1/projects/*'],
  ['/api/v2/accounts/1/**', '/accounts/1/**'],
  ['/*/v2/accounts/1', '/accounts/1'],
  ['**/accounts/1', '/accounts/1'],
  ['workspaces/1/flags/a', '/workspaces/1/flags/a'],
  ['**', '/**'],
  ['**/projects/42', '/**/projects/42'],
  ['/{accounts,workspaces}/1/**', '/{accounts,workspaces}/1/**'],
  ['/api/v2/**', undefined],
  ['projects/42', undefined],
  ['/', undefined],
])('%s counts as %s', (glob, counting) => {
  expect(globFromTemplate(glob, TEMPLATES)).toBe(counting);
});

it('takes anything where a template begins with a parameter', () => {
  expect(globFromTemplate('/acme/flags/a', ['/{tenant}/flags/{key}'])).toBe('/acme/flags/a');
});
