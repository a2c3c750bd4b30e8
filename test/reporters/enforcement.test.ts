import { describe, expect, it } from 'vitest';
import {
  enforcementJson,
  enforcementMarkdown,
  enforcementText,
  type Reported,
  Tally,
} from '../../src/reporters/enforcement.ts';

const one = (members: Partial<Reported> = {}): Reported => ({
  place: 'audit.jsonl:3',
  time: '2026-11-23T05:41:41.123Z',
  method: 'PATCH',
  path: '/projects/42',
  operation: 'updateProject',
  client: '127.0.0.1',
  record: { base: '', account: 'current', kind: 'project', id: '42' },
  reasons: [{ rule: 'schema.enum', pointer: '/languages/0', message: 'wrong' }],
  isOfAudit: false,
  isBlocked: false,
  isApproved: false,
  hasDeleted: false,
  ...members,
});

function resultOf(all: readonly Partial<Reported>[]) {
  const tally = new Tally();
  for (const members of all) tally.add(one(members));
  return tally.result();
}

it('is a summary and four lists', () => {
  expect(
    enforcementText(resultOf([{}, { isBlocked: true }, { reasons: [], isApproved: true, hasDeleted: true }])),
  ).toBe(
    `Enforcing would block 2 of 3 requests (1 was blocked); 1 approved, 1 deleted environments

  requests  rule         first                last
         2  schema.enum  2026-11-23 05:41:41  2026-11-23 05:41:41
            audit.jsonl:3: PATCH /projects/42: wrong

  requests  operation      first                last
         2  updateProject  2026-11-23 05:41:41  2026-11-23 05:41:41
            audit.jsonl:3: PATCH /projects/42: wrong

  requests  client     first                last
         2  127.0.0.1  2026-11-23 05:41:41  2026-11-23 05:41:41
            audit.jsonl:3: PATCH /projects/42: wrong

  requests  record                first                last
         2  project 42 (current)  2026-11-23 05:41:41  2026-11-23 05:41:41
            audit.jsonl:3: PATCH /projects/42: wrong
`,
  );
});

it.each([
  [[], 'Enforcing would block 0 of 0 requests\n'],
  [[{ reasons: [] }], 'Enforcing would block 0 of 1 request\n'],
  [[{ reasons: [], isOfAudit: true }], 'Enforcing would block 0 requests of the audit\n'],
])('says where there is nothing: %j', (all, text) => {
  expect(enforcementText(resultOf(all))).toBe(text);
});

it.each<[string, [boolean, boolean], string]>([
  ['an audit', [true, true], '2 requests of the audit (1 was blocked)'],
  ['an audit and a recording', [true, false], '2 requests (1 was blocked)'],
  ['a recording', [false, false], '2 of 3 requests (1 was blocked)'],
])('names a share where all requests are known: %s', (_, [first, second], said) => {
  const passed = { reasons: [], isOfAudit: first };
  const all = [{ isBlocked: true, isOfAudit: first }, { isOfAudit: second }, passed];
  expect(enforcementText(resultOf(all))).toMatch(`Enforcing would block ${said}\n`);
});

it('counts a request once for each of its rules', () => {
  const twice = { rule: 'schema.enum', pointer: '/languages/1', message: 'wrong, too' };
  const other = { rule: 'schema.type', pointer: '/name', message: 'no text', place: 'x.har:1:5' };
  const { rules, operations } = resultOf([{ reasons: [...one().reasons, twice, other] }]);
  expect(rules.top).toMatchObject([
    { name: 'schema.enum', requests: 1, example: { pointer: '/languages/0', place: 'audit.jsonl:3' } },
    { name: 'schema.type', requests: 1, example: { pointer: '/name', place: 'x.har:1:5' } },
  ]);
  expect(operations.top[0]?.requests).toBe(1);
});

it('knows times only where there are some', () => {
  const [group] = resultOf([{ time: undefined }]).rules.top;
  expect(group).not.toHaveProperty('first');
  expect(enforcementText(resultOf([{ time: undefined }]))).toContain('schema.enum  -      -\n');
});

describe('of many', () => {
  const many = resultOf(
    Array.from({ length: 23 }, (_, i) => ({ client: `10.0.0.${i}` })).concat({ client: '10.0.0.22' }),
  );

  it('shows the largest, and how many others there are', () => {
    expect(many.clients.top.map(({ name }) => name)).toHaveLength(20);
    expect(many.clients.top[0]).toMatchObject({ name: '10.0.0.22', requests: 2 });
    expect(many.clients.more).toBe(3);
    expect(enforcementText(many)).toContain('\n  and 3 more\n');
    expect(enforcementMarkdown(many)).toContain('\nand 3 more\n');
    expect(JSON.parse(enforcementJson(many))).toEqual({ version: 1, ...many });
  });
});

it('in Markdown is tables, in which nothing is markup', () => {
  const text = enforcementMarkdown(resultOf([{ client: 'a|b <script>' }]));
  expect(text).toContain(
    '| 1 | a\\|b \\<script\\> | 2026-11-23 05:41:41 | 2026-11-23 05:41:41 | audit.jsonl:3: PATCH /projects/42: wrong |',
  );
});

it('steers no terminal', () => {
  const text = enforcementText(resultOf([{ client: '\u001b[31mred', path: '/a\u202e' }]));
  expect(text).toContain('\ufffd[31mred');
  expect(text).toContain('/a\ufffd');
});
