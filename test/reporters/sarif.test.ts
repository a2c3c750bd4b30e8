import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/reporters/report.ts';
import { sarif as reporter } from '../../src/reporters/sarif.ts';
import { checkedFile, finding, REMARKS_REPORT, subject } from './sample-findings.ts';
import { joined, SAMPLE_OPTIONS } from './sample-options.ts';
import { SAMPLE_REPORT } from './sample-report.ts';

const log = (report: Report, options = SAMPLE_OPTIONS) => JSON.parse(joined(reporter(report, options)));
const run = (report: Report, options = SAMPLE_OPTIONS) => log(report, options).runs[0];
const results = (report: Report, options = SAMPLE_OPTIONS) => run(report, options).results;

const RULES: Report['rules'] = [
  {
    name: 'schema.required',
    severity: 'error',
    basis: 'stated',
    says: 'a mandatory field is missing',
    source: 'service-api 2',
  },
  {
    name: 'draft.percentage-range',
    severity: 'off',
    basis: 'inferred',
    says: 'a <b>_PATCH_</b> | x',
    source: '',
  },
];

test('is one run of Patchgate', () => {
  const { $schema, version, runs } = log({ files: [] });
  expect([$schema, version]).toEqual([
    'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    '2.1.0',
  ]);
  expect(runs).toEqual([
    {
      tool: { driver: { name: 'Patchgate', version: '1.2.3', rules: [] } },
      invocations: [{ executionSuccessful: true }],
      originalUriBaseIds: { '%SRCROOT%': { uri: 'file:///repo/' } },
      columnKind: 'utf16CodeUnits',
      results: [],
    },
  ]);
});

test('has a result for each finding', () => {
  const { results } = run({ ...SAMPLE_REPORT, rules: RULES });
  expect(results).toHaveLength(3);
  expect(results[0]).toEqual({
    ruleId: 'schema.required',
    ruleIndex: 0,
    level: 'error',
    message: { text: 'languages is mandatory\nHint: send the full project' },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'bodies/bad.json', uriBaseId: '%SRCROOT%' },
          region: { startLine: 2, startColumn: 3 },
        },
        logicalLocations: [{ fullyQualifiedName: '/languages', kind: 'value' }],
      },
    ],
  });
  expect(results[2]).toMatchObject({
    level: 'warning',
    locations: [
      {
        logicalLocations: [
          { fullyQualifiedName: 'PATCH /accounts/current/projects/42', kind: 'resource' },
          { fullyQualifiedName: '/owner', kind: 'value' },
        ],
      },
    ],
  });
});

test('has the rules with their help, and those that only a finding tells of', () => {
  const { rules } = run({ ...SAMPLE_REPORT, rules: RULES }).tool.driver;
  expect(rules.map(({ id }: { id: string }) => id)).toEqual([
    'schema.required',
    'draft.percentage-range',
    'request.too-large',
    'schema.unknown-field',
  ]);
  expect(rules[0]).toMatchObject({
    shortDescription: { text: 'A mandatory field is missing.' },
    fullDescription: {
      text: 'A mandatory field is missing. Basis: stated (service-api 2).',
    },
    defaultConfiguration: { level: 'error' },
    properties: { tags: ['schema', 'stated'] },
  });
  expect(rules[1].defaultConfiguration).toEqual({ enabled: false });
  expect(rules[3]).toMatchObject({ defaultConfiguration: { level: 'warning' } });
});

test("a rule's texts are as long as GitHub takes them", () => {
  const [{ shortDescription, fullDescription }] = run({
    files: [],
    rules: [
      { name: 'a.b', severity: 'warn', basis: 'observed', says: 'x'.repeat(2000), source: 'y'.repeat(2000) },
    ],
  }).tool.driver.rules;
  expect(shortDescription.text).toMatch(/^Xx{400}….$/);
  expect(fullDescription.text.length).toBeLessThan(1024);
});

test('remarks and skipped requests are notifications', () => {
  expect(run(REMARKS_REPORT).invocations).toEqual([
    {
      executionSuccessful: true,
      toolConfigurationNotifications: [
        { level: 'warning', message: { text: 'nothing was judged\nHint: check the paths' } },
        { level: 'note', message: { text: 'wrote 1 file' } },
      ],
      toolExecutionNotifications: [
        {
          level: 'warning',
          message: {
            text: "recordings/PATCH.json:90: PATCH /accounts/current/drafts/1 (/log/entries/7) is not judged: the request's body is not in the file",
          },
        },
      ],
    },
  ]);
});

describe('a location', () => {
  const locationOf = (file: string, options = SAMPLE_OPTIONS) =>
    results({ files: [checkedFile([subject([finding()])], { file })] }, options)[0].locations[0]
      .physicalLocation;

  test.each([
    ['a b/ä#1?.json', 'a%20b/%C3%A4%231%3F.json'],
    ['./x/../100%.json', '100%25.json'],
    ['c:d.json', 'c%3Ad.json'],
  ])('%s is the URI %s', (file, uri) => {
    expect(locationOf(file).artifactLocation).toEqual({ uri, uriBaseId: '%SRCROOT%' });
  });

  test('is relative to the repository, and absolute outside of it', () => {
    const options = { ...SAMPLE_OPTIONS, cwd: '/repo/gate' };
    expect(locationOf('a.json', options).artifactLocation.uri).toBe('gate/a.json');
    expect(locationOf('/else where/a.json', options).artifactLocation).toEqual({
      uri: 'file:///else%20where/a.json',
    });
  });

  test('of standard input is an artifact without a folder', () => {
    expect(locationOf('<stdin>').artifactLocation).toEqual({
      uri: 'stdin',
      description: { text: 'standard input' },
    });
  });

  test('without a line is where its request begins', () => {
    expect(locationOf('a.json').region).toEqual({ startLine: 3 });
  });
});

test('braces are doubled and links undone, so that a message is read as it is', () => {
  const [{ message }] = results({
    files: [checkedFile([subject([finding({ message: '{0} [a](1) [b]' })])])],
  });
  expect(message.text).toBe('{{0}} \\[a](1) [b]');
});

test('what nobody can print, or read, is in no text', () => {
  const message = 'a\u0000\u202e\ud800\\ud800';
  const odd = finding({ message, hint: message, pointer: '/\ud800\\ud800/\\\ud800' });
  const text = joined(reporter({ files: [checkedFile([subject([odd])])] }, SAMPLE_OPTIONS));
  const [result] = JSON.parse(text).runs[0].results;
  expect(result.message.text).toBe('a\ufffd\ufffd\ufffd\\ud800\nHint: a\ufffd\ufffd\ufffd\\ud800');
  const [, value] = result.locations[0].logicalLocations;
  expect(value.fullyQualifiedName).toBe('/\ufffd\\ud800/\\\ufffd');
});

test('says how many findings the gate left out', () => {
  expect(run(SAMPLE_REPORT).invocations[0].toolExecutionNotifications).toEqual([
    { level: 'warning', message: { text: '1 further result left out' } },
  ]);
});

test('keeps within what GitHub takes, errors first', { tags: 'slow' }, () => {
  const many = (severity: 'error' | 'warn', count: number) =>
    Array.from({ length: count }, () => finding({ severity }));
  const report = { files: [checkedFile([subject([...many('warn', 25_000), ...many('error', 5)])])] };
  const { results: kept, invocations } = run(report);
  expect(kept).toHaveLength(25_000);
  expect(kept.filter(({ level }: { level: string }) => level === 'error')).toHaveLength(5);
  expect(invocations[0].toolExecutionNotifications).toEqual([
    { level: 'warning', message: { text: '5 further results left out' } },
  ]);
});

test('is valid against the published schema', { tags: 'slow' }, () => {
  // It is of draft 04, of which it uses nothing that has changed but the names of these two members.
  const {
    $schema: _,
    id: __,
    ...schema
  } = JSON.parse(readFileSync('test/corpus/schemas/sarif-2.1.0-rtm.5.json', 'utf8'));
  const uri = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9A-F]{2})*$/;
  const formats = { uri, 'uri-reference': uri, 'date-time': true } as const;
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false, formats });
  const validate = ajv.compile(schema);
  const hostile = 'a\u0000\ud800{0}"\\';
  const odd = checkedFile([subject([finding({ message: hostile, rule: hostile, pointer: hostile })])], {
    file: '\ud800 /x',
  });
  for (const report of [SAMPLE_REPORT, REMARKS_REPORT, { files: [odd] }, { files: [] }]) {
    validate(log({ ...report, rules: RULES }));
    expect(validate.errors).toBeNull();
  }
  expect(validate(log(SAMPLE_REPORT).runs)).toBe(false);
});
