/** No false alarm: what an honest client sends passes. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { announce, runs } from '../support/fuzz.ts';
import { brief, gate } from '../support/gate.ts';
import { validRequest } from '../support/valid-requests.ts';

const COUNT = runs(3000, 100_000);

it(`lets ${COUNT} valid requests pass`, () => {
  announce('valid requests', COUNT);
  const { inspect } = gate();
  const operations = new Set<string | undefined>();
  fc.assert(
    fc.property(validRequest, ({ operation, request, text }) => {
      const { verdict, json } = inspect(request);
      const errors = verdict.findings.filter(({ severity }) => severity === 'error');
      expect({ outcome: verdict.outcome, errors: brief(errors) }).toEqual({ outcome: 'pass', errors: [] });
      expect(verdict.operation).toBe(operation);
      expect(json).toEqual(JSON.parse(text));
      operations.add(verdict.operation);
    }),
    { numRuns: COUNT },
  );
  expect(operations.size).toBe(3);
});
