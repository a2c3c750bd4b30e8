import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StateAdapter, sortedState } from '../../../src/guard/kept/state-adapter.ts';
import type { RecordName } from '../../../src/model/record.ts';
import type { State } from '../../../src/state/state-file.ts';
import { folderInMemory } from '../../support/temporary-folder.ts';

const name = (account: string, kind: RecordName['kind'], id: string) => ({
  name: { base: '', account, kind, id },
  known: { record: {}, isWhole: true },
});

test('the order in which something was learnt does not matter', () => {
  const records = [
    name('196', 'project', '9'),
    name('current', 'draft', '10000000000'),
    name('current', 'draft', '9999999999'),
    name('current', 'project', '10'),
    name('current', 'project', '9'),
    name('20', 'feature', '-1'),
  ];
  const below = {
    ...name('current', 'project', '1'),
    name: { base: '/x', account: 'current', kind: 'project', id: '1' } as const,
  };
  const both = JSON.stringify(sortedState([below, ...records], undefined));
  expect(JSON.stringify(sortedState([...records, below], undefined))).toBe(both);
  const text = JSON.stringify(sortedState(records, 'http://t'));
  expect(JSON.stringify(sortedState(records.toReversed(), 'http://t'))).toBe(text);
  expect(text).toBe(
    '{"target":"http://t","paths":{"/":{"20":{"features":{"-1":{}}},"196":{"projects":{"9":{}}},' +
      '"current":{"projects":{"9":{},"10":{}},"drafts":{"9999999999":{},"10000000000":{}}}}}}',
  );
});

const records = fc.dictionary(
  fc.nat().map(String),
  fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 3 })),
);
const accounts = fc.dictionary(
  fc.oneof(fc.constant('current'), fc.nat().map(String)),
  fc.record({ projects: records, features: records, drafts: records }, { requiredKeys: [] }),
);

test('writes what JSON.stringify gives with two spaces, and a line feed', async () => {
  const file = join(folderInMemory(), 'state.json');
  const adapter = new StateAdapter(file);
  await fc.assert(
    fc.asyncProperty(
      fc.record(
        { target: fc.string(), accounts, paths: fc.dictionary(fc.constantFrom('/', '/api/v2'), accounts) },
        { requiredKeys: ['paths'] },
      ),
      async ({ target, accounts, paths }) => {
        const state = {
          ...(target !== undefined && { target }),
          ...(accounts && { accounts }),
          paths,
        } as State;
        await adapter.write(state);
        expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(state, null, 2)}\n`);
      },
    ),
    { numRuns: 25 },
  );
  expect(readdirSync(dirname(file))).toEqual(['state.json']);
});
