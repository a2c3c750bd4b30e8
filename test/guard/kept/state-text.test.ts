import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stateText } from '../../../src/guard/kept/state-text.ts';
import type { State } from '../../../src/state/state-file.ts';

const records = fc.dictionary(
  fc.nat().map(String),
  fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 3 })),
);
const accounts = fc.dictionary(
  fc.oneof(fc.constant('current'), fc.nat().map(String)),
  fc.record({ projects: records, features: records, drafts: records }, { requiredKeys: [] }),
);

test('is what JSON.stringify gives with two spaces, and a line feed', () => {
  fc.assert(
    fc.property(
      fc.record(
        { target: fc.string(), accounts, paths: fc.dictionary(fc.constantFrom('/', '/api/v2'), accounts) },
        { requiredKeys: ['paths'] },
      ),
      ({ target, accounts, paths }) => {
        const state = {
          ...(target !== undefined && { target }),
          ...(accounts && { accounts }),
          paths,
        } as State;
        expect([...stateText(state)].join('')).toBe(`${JSON.stringify(state, null, 2)}\n`);
      },
    ),
    { numRuns: 25 },
  );
});
