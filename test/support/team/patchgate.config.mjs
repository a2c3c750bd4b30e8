import { defineConfig } from 'patchgate/config';
import { environmentNames } from './environment-names.mjs';
import { protectedEnvironments } from './protected-environments.mjs';

export default defineConfig({
  customRules: {
    updateProject: [environmentNames, protectedEnvironments],
  },
  overrides: [
    { rules: { 'schema.observed': 'error', 'team.protected-environments': 'warn' } },
    { paths: ['/accounts/*/projects/42'], rules: { 'schema.unknown-field': 'error' } },
  ],
});
