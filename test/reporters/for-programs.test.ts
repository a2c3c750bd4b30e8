import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { json } from '../../src/reporters/json.ts';
import { junit } from '../../src/reporters/junit.ts';
import type { Report } from '../../src/reporters/report.ts';
import { sarif } from '../../src/reporters/sarif.ts';
import { checkedFile, finding, hostileReport, OPTIONS, REMARKS, SAMPLE, subject } from './samples.ts';

const HOSTILE = hostileReport('a<b>&"\'\t\r\n]]>\u0000\u001b\ud800\ufffe{0}\\😀');
const ALL = [SAMPLE, REMARKS, HOSTILE, { files: [] }];

describe('json', () => {
  const parsed = (report: Report) => JSON.parse(json(report));

  test('is version 1 with a summary, every file and every finding, without the lines for people', () => {
    const { version, summary, files, remarks } = parsed(SAMPLE);
    expect({ version, remarks }).toEqual({ version: 1, remarks: undefined });
    expect(summary).toEqual({
      ...{ files: 3, judged: 3, unjudged: 2, skipped: 0, blocked: 1, errors: 1, warnings: 2, omitted: 1 },
    });
    const { excerpt: _, ...required } = SAMPLE.files[1]?.subjects[0]?.findings[0] ?? finding();
    expect(files[1].subjects[0].findings[0]).toEqual(required);
    expect(files[2].subjects[0]).toMatchObject({ pointer: '/exchanges/3', effects: [{ id: 2 }] });
  });

  test('has the remarks, and no half of a surrogate pair', () => {
    expect(parsed(REMARKS).remarks).toEqual(REMARKS.remarks);
    expect(json(HOSTILE)).not.toMatch(/\\ud8/);
  });
});

describe('junit', () => {
  test('is a testsuite for each file, a testcase for each request', () => {
    const [, good, bad, recording] = junit(SAMPLE, OPTIONS).split('<testsuite ');
    expect(good).toContain('name="bodies/good.json"');
    expect(good).toContain('tests="1" failures="0" errors="0" time="0"');
    expect(bad).toContain(
      `<testcase name="updateProject" classname="bodies/bad" time="0"><failure message="languages is mandatory (and 1 more finding)" type="schema.required">bodies/bad.json:2:3  error  schema.required  languages is mandatory
  at /languages, stated, service-api 2.1
  hint: send the full project

and 1 more finding</failure></testcase>`,
    );
    expect(bad).toContain('bodies/bad.json  warn  request.too-large  large\n  protocol</system-out>');
    expect(recording).toContain('name="PATCH /accounts/current/projects/42 (/exchanges/3)"');
  });

  test('has remarks as testcases, and warnings as failures where they fail the run', () => {
    expect(junit(REMARKS, OPTIONS)).toContain('warn: nothing was judged\n\nnote: judged as updateProject');
    expect(junit(SAMPLE, { ...OPTIONS, failOn: 'warn' }).match(/<failure /g)).toHaveLength(2);
  });

  test("is valid against Jenkins' schema, whatever is in the files", { tags: 'slow' }, async () => {
    const schema = readFileSync('test/corpus/schemas/jenkins-junit-4.xsd', 'utf8');
    const xml = ALL.map((report, i) => ({ fileName: `${i}.xml`, contents: junit(report, OPTIONS) }));
    expect((await validateXML({ xml, schema })).errors).toEqual([]);
    const broken = junit(SAMPLE, OPTIONS).replace(' name=', ' nome=');
    expect((await validateXML({ xml: broken, schema })).valid).toBe(false);
  });
});

describe('sarif', () => {
  const run = (report: Report, options = OPTIONS) => JSON.parse(sarif(report, options)).runs[0];
  const rule = { name: 'x.off', severity: 'off', basis: 'inferred', says: 'a <b>', source: '' } as const;

  test('has a result for each finding, errors and warnings, at its place', () => {
    const { results, originalUriBaseIds } = run(SAMPLE);
    expect(results).toHaveLength(3);
    expect(results[0]).toEqual({
      ruleId: 'schema.required',
      level: 'error',
      message: { text: 'languages is mandatory\nHint: send the full project' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'bodies/bad.json', uriBaseId: '%SRCROOT%' },
            region: { startLine: 2, startColumn: 3 },
          },
        },
      ],
    });
    expect(originalUriBaseIds).toEqual({ '%SRCROOT%': { uri: 'file:///repo/' } });
  });

  test('has the rules that were asked, and those that only a finding tells of', () => {
    const long = { ...rule, name: 'x.long', says: 'y'.repeat(2000), source: 'z'.repeat(2000) };
    const { rules } = run({ ...SAMPLE, rules: [rule, long] }).tool.driver;
    expect(rules.map(({ id }: { id: string }) => id)).toEqual([
      ...['x.off', 'x.long', 'schema.required', 'request.too-large', 'x.warns'],
    ]);
    expect(rules[0]).toMatchObject({
      shortDescription: { text: 'A <b>.' },
      fullDescription: { text: 'A <b>. Basis: inferred.' },
      defaultConfiguration: { enabled: false },
    });
    expect(rules[1].fullDescription.text.length).toBeLessThan(1024);
    expect(rules[4]).toMatchObject({ defaultConfiguration: { level: 'warning' } });
  });

  test('has remarks and what was left out as notifications', () => {
    const texts = (report: Report) =>
      run(report).invocations[0].toolExecutionNotifications.map(
        ({ level, message }: { level: string; message: { text: string } }) => [level, message.text],
      );
    expect(texts(REMARKS)).toEqual([
      ['warning', 'nothing was judged\nHint: check the paths'],
      ['note', 'judged as updateProject'],
    ]);
    expect(texts(SAMPLE)).toEqual([['warning', '1 further result left out']]);
  });

  test.each([
    ['a b/ä#1?.json', { uri: 'a%20b/%C3%A4%231%3F.json', uriBaseId: '%SRCROOT%' }, '/repo'],
    ['a.json', { uri: 'gate/a.json', uriBaseId: '%SRCROOT%' }, '/repo/gate'],
    ['/else where/a.json', { uri: 'file:///else%20where/a.json' }, '/repo'],
    ['<stdin>', { uri: 'stdin', description: { text: 'standard input' } }, '/repo'],
  ])('%s is the artifact %j', (file, artifact, cwd) => {
    const { results } = run({ files: [checkedFile([subject([finding()])], { file })] }, { ...OPTIONS, cwd });
    const { artifactLocation, region } = results[0].locations[0].physicalLocation;
    expect(artifactLocation).toEqual(artifact);
    // That of its request.
    expect(region).toEqual({ startLine: 3 });
  });

  test('doubles braces and undoes links, so that a message is read as it is', () => {
    const { results } = run({ files: [checkedFile([subject([finding({ message: '{0} [a](1) [b]' })])])] });
    expect(results[0].message.text).toBe('{{0}} \\[a](1) [b]');
  });

  test('keeps within what GitHub takes, errors first', { tags: 'slow' }, () => {
    const many = (severity: 'error' | 'warn', count: number) =>
      Array.from({ length: count }, () => finding({ severity }));
    const { results } = run({
      files: [checkedFile([subject([...many('warn', 25_000), ...many('error', 5)])])],
    });
    expect(results).toHaveLength(25_000);
    expect(results.filter(({ level }: { level: string }) => level === 'error')).toHaveLength(5);
  });

  test('is valid against the published schema, whatever is in the files', { tags: 'slow' }, () => {
    // It is of draft 04, of which it uses nothing that has changed but the names of these two members.
    const {
      $schema: _,
      id: __,
      ...schema
    } = JSON.parse(readFileSync('test/corpus/schemas/sarif-2.1.0-rtm.5.json', 'utf8'));
    const uri = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9A-F]{2})*$/;
    const formats = { uri, 'uri-reference': uri, 'date-time': true } as const;
    const validate = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false, formats }).compile(
      schema,
    );
    for (const report of ALL) {
      validate(JSON.parse(sarif({ ...report, rules: [rule] }, OPTIONS)));
      expect(validate.errors).toBeNull();
    }
    expect(validate(run(SAMPLE))).toBe(false);
  });
});
