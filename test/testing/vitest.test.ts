import { describe, expect, expectTypeOf, it } from 'vitest';
import '../../src/testing/vitest.ts';
import type { GateMatchers } from '../../src/testing/matchers/gate-matchers.ts';
import { project } from '../support/bodies.ts';

describe('patchgate/vitest', () => {
  it('gives expect the matchers, and their types', async () => {
    expectTypeOf(expect({}).toPassGate).returns.toBeVoid();
    await expect(Promise.resolve(project())).resolves.toPassGate('updateProject');
    expectTypeOf<GateMatchers>().toExtend<Parameters<typeof expect.extend>[0]>();
    expect(project()).toPassGate('updateProject', { failOn: 'warn' });
    // @ts-expect-error: it is misspelt
    expect(() => expect(project()).toDelete({ environment: [] }, project())).toThrow('environments');
    // @ts-expect-error: it has no state
    expect(() => expect(project()).toDelete({ environments: [] })).toThrow('the state is no project');
  });
});
