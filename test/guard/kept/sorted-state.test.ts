import { expect, test } from 'vitest';
import { sortedState } from '../../../src/guard/kept/sorted-state.ts';
import type { RecordName } from '../../../src/model/record.ts';

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
