/** What a test suite imports: `patchgate/testing`. */
export { type Fixtures, testRule } from './test-rule.ts';
