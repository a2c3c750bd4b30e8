import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load-contract.ts';
import { shippedContract } from '../../src/contract/shipped-contract.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { withValue } from '../support/edit-json.ts';
import { BODIES, everyField, operations } from '../support/fields.ts';
import { SCHEMAS } from '../support/gate.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const shipped = shippedContract(SCHEMAS);
const compiled = loadContract(SCHEMAS);

it('says what the same contract says that is compiled anew', () => {
  const field = fc.constantFrom(...everyField);
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom('https://shop.example.com', 'ftp://x', '', 'x'));
  const changes = fc.array(fc.tuple(field, value), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.constantFrom(...operations), changes, (operation, changed) => {
      const body = changed
        .filter(([{ operation: of }]) => of === operation)
        .reduce<JsonValue>((sofar, [{ pointer }, json]) => {
          try {
            return withValue(sofar, pointer, json as JsonValue) as JsonValue;
          } catch {
            return sofar;
          }
        }, BODIES[operation] as JsonValue);
      expect(shipped?.load(operation).bodies[0].check(body)).toEqual(
        compiled.load(operation).bodies[0].check(body),
      );
    }),
  );
});

it('is the same wherever its texts stand, and none where one is another', () => {
  const folder = temporaryFolder();
  cpSync(SCHEMAS, folder, { recursive: true });
  expect(shippedContract(folder)?.file).toBe(join(folder, 'contract.json'));
  const file = join(folder, 'url-item.json');
  writeFileSync(file, `${readFileSync(file, 'utf8')} `);
  expect(shippedContract(folder)).toBeUndefined();
});
