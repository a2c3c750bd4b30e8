import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { junit as reporter } from '../../src/reporters/junit.ts';
import type { Report } from '../../src/reporters/report.ts';
import { checkedFile, finding, REMARKS_REPORT, subject } from './sample-findings.ts';
import { joined, SAMPLE_OPTIONS } from './sample-options.ts';
import { SAMPLE_REPORT } from './sample-report.ts';

const junit = (report: Report, options = SAMPLE_OPTIONS) => joined(reporter(report, options));

const HOSTILE = 'a<b>&"\'\t\r\n]]>\u0000\u001b\ud800\ufffe😀';
const HOSTILE_REPORT: Report = {
  files: [
    checkedFile([subject([finding({ rule: HOSTILE, message: HOSTILE, hint: HOSTILE })], { path: HOSTILE })], {
      file: HOSTILE,
      skipped: [{ pointer: HOSTILE, method: HOSTILE, path: HOSTILE, why: HOSTILE }],
    }),
  ],
  remarks: [{ severity: 'warn', message: HOSTILE, hint: HOSTILE }],
};

test('is a testsuite for each file, a testcase for each request', () => {
  expect(junit(SAMPLE_REPORT)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite id="0" name="bodies/good.json" package="" timestamp="2026-11-21T12:00:00" hostname="localhost" tests="1" failures="0" errors="0" time="0">
    <properties>
      <property name="kind" value="body"/>
    </properties>
    <testcase name="updateProject" classname="bodies/good" time="0"></testcase>
    <system-out></system-out>
    <system-err></system-err>
  </testsuite>
  <testsuite id="1" name="bodies/bad.json" package="" timestamp="2026-11-21T12:00:00" hostname="localhost" tests="1" failures="1" errors="0" time="0">
    <properties>
      <property name="kind" value="body"/>
    </properties>
    <testcase name="updateProject" classname="bodies/bad" time="0"><failure message="languages is mandatory (and 1 more finding)" type="schema.required">bodies/bad.json:2:3  error  schema.required  languages is mandatory
  at /languages, stated, service-api 4.1 rule 1
  hint: send the full project

and 1 more finding</failure></testcase>
    <system-out>updateProject
bodies/bad.json  warn  request.too-large  large
  protocol</system-out>
    <system-err></system-err>
  </testsuite>
  <testsuite id="2" name="recordings/PATCH.json" package="" timestamp="2026-11-21T12:00:00" hostname="localhost" tests="1" failures="0" errors="0" time="0">
    <properties>
      <property name="kind" value="recording"/>
      <property name="not concerned" value="2"/>
    </properties>
    <testcase name="PATCH /accounts/current/projects/42 (/exchanges/3)" classname="recordings/PATCH" time="0"></testcase>
    <system-out>PATCH /accounts/current/projects/42 (/exchanges/3)
recordings/PATCH.json:12:7  warn  schema.unknown-field  owner is not listed
  at /owner, inferred</system-out>
    <system-err></system-err>
  </testsuite>
</testsuites>
`);
});

test('what was not judged is skipped, a remark is a testcase of its own', () => {
  const xml = junit(REMARKS_REPORT);
  expect(xml).toContain('name="patchgate" package=""');
  expect(xml).toContain('<system-out>warn: nothing was judged\n\nnote: wrote 1 file</system-out>');
  expect(xml).toContain('tests="2" failures="0" errors="0" skipped="1" time="0"');
  expect(xml).toContain("<skipped>the request's body is not in the file</skipped>");
});

test('a warning is a failure where it fails the run', () => {
  expect(junit(SAMPLE_REPORT, { ...SAMPLE_OPTIONS, failOn: 'warn' }).match(/<failure /g)).toHaveLength(2);
});

test('holds what XML can hold, and nothing that ends an attribute or a text', () => {
  const shown = 'a&#60;b&#62;&#38;"\'\t&#13;\n]]&#62;\ufffd\ufffd\ufffd\ufffd😀';
  const inAttribute = shown.replace('"', '&#34;').replace('\t', '&#9;').replace('\n', '&#10;');
  const xml = junit(HOSTILE_REPORT);
  expect(xml).toContain(`<skipped>${shown}</skipped>`);
  expect(xml).toContain(`<failure message="${inAttribute}" type="${inAttribute}">`);
  expect(xml).toContain(`\n  hint: ${shown}</failure>`);
});

test("is valid against Jenkins' schema", { tags: 'slow' }, async () => {
  const schema = await readFile('test/corpus/schemas/jenkins-junit-4.xsd', 'utf8');
  const reports = [SAMPLE_REPORT, REMARKS_REPORT, HOSTILE_REPORT, { files: [] }];
  const xml = reports.map((report, i) => ({ fileName: `${i}.xml`, contents: junit(report) }));
  const { valid, errors } = await validateXML({ xml, schema });
  expect(errors).toEqual([]);
  expect(valid).toBe(true);
  const broken = junit(SAMPLE_REPORT).replace(' name=', ' nome=');
  expect((await validateXML({ xml: broken, schema })).valid).toBe(false);
});
