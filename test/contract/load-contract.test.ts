import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load-contract.ts';
import { createGate } from '../../src/gate/gate.ts';
import {
  contractFolder,
  FLAG_ENTRY,
  FLAG_SCHEMA,
  flagContract,
  refused,
  refusedEntry,
} from '../support/contract-folder.ts';
import { refusal } from '../support/errors.ts';
import { brief, PROXY_DEFAULTS, SCHEMAS } from '../support/gate.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('an operation of another service', () => {
  const folder = contractFolder();
  const gate = createGate(loadContract(folder), PROXY_DEFAULTS);
  const put = (url: string, body: unknown) =>
    gate.inspect({
      method: 'PUT',
      url,
      headers: ['content-type', 'application/json'],
      body: Buffer.from(JSON.stringify(body)),
    }).verdict;

  it('takes a schema file and an entry, and no program', () => {
    expect(gate.operations).toEqual(['putFlag']);
    expect(put('/v1/workspaces/3/flags/New-Checkout', { on: true, note: 'beta' })).toEqual({
      outcome: 'pass',
      operation: 'putFlag',
      findings: [],
      omitted: 0,
    });
    const blocked = put('/v1/workspaces/x/flags/New-Checkout', { on: 'yes', note: 'alpha', No: 1, NOTE: '' });
    expect(blocked).toMatchObject({ outcome: 'block', operation: 'putFlag', status: 422 });
    expect(brief(blocked.findings).sort()).toEqual([
      'request.path-parameter error',
      'schema.field-case error /NOTE',
      'schema.observed warn /note',
      'schema.type error /on',
      'schema.unknown-field warn /No',
    ]);
  });

  it('names where the contract comes from, in findings of a schema that does not', () => {
    const { findings } = put('/workspaces/3/flags/a', { on: 'yes', owners: [{ mail: 'x' }] });
    expect(findings.map(({ rule, source }) => [rule, source])).toEqual([
      ['schema.type', 'the docs'],
      ['schema.additional-properties', 'the docs'],
    ]);
  });
});

describe('the shipped contract', () => {
  it('holds against the meta-schema, and every canary is caught', () => {
    expect(createGate(loadContract(SCHEMAS), PROXY_DEFAULTS).operations).toEqual([
      'updateProject',
      'updateFeature',
      'updateDraft',
    ]);
  });
});

describe('a contract that cannot be read', () => {
  it('names the file', () => {
    const missing = join(temporaryFolder(), 'nothing');
    expect(refusal('bad-contract', () => loadContract(missing))).toContain(missing);
    const empty = temporaryFolder();
    expect(refusal('bad-contract', () => loadContract(empty))).toMatch(
      /^cannot read the contract .*contract\.json: it does not exist \(--contract names a folder with contract\.json and its schemas\)$/,
    );
  });

  it('names line and column of broken JSON', () => {
    expect(refused({ 'contract.json': '{\n  "contractVersion": 1,\n  source: 1\n}' })).toBe(
      'contract.json:3:3: expected a member name in double quotes, found "s" (correct the JSON)',
    );
    expect(refused({ 'put-flag.json': '{' })).toBe(
      'put-flag.json:1:2: the document ends where a member name in double quotes should be (correct the JSON)',
    );
    expect(refused({ 'contract.json': '' })).toContain('contract.json:1:1: ');
    expect(refused({ 'contract.json': `\uFEFF${JSON.stringify(flagContract())}` })).toContain(
      'contract.json:1:1: ',
    );
  });
});

describe('a schema', () => {
  const withSchema = (schema: object) => refused({ 'put-flag.json': { ...FLAG_SCHEMA, ...schema } });

  it('that is missing is refused', () => {
    expect(refused({ 'put-flag.json': undefined })).toBe(
      'contract.json: operation putFlag names the schema put-flag.json, which is not there (put put-flag.json beside contract.json)',
    );
    expect(refusedEntry({ schema: 'contract.json' })).toContain(
      'names the schema contract.json, which is not there',
    );
  });

  it.each<[object, string]>([
    [{ propertees: {} }, 'unknown keyword: "propertees"'],
    [{ type: 'objekt' }, 'schema is invalid: data/type must be'],
    [{ properties: { on: { type: 'string', format: 'colour' } } }, 'unknown format "colour"'],
    [{ properties: { on: { type: 'string', pattern: '(' } } }, 'Invalid regular expression'],
    [{ if: { required: ['on'] } }, '"if" without "then" and "else" is ignored'],
    [{ furtherFields: 'any' }, 'furtherFields'],
    [{ basis: 'guessed' }, 'basis'],
    [{ severity: 'fatal' }, 'severity'],
  ])('with %j does not compile', (schema, message) => {
    const text = withSchema(schema);
    expect(text).toMatch(/^put-flag\.json: the schema does not compile: /);
    expect(text).toContain(message);
    expect(text).toContain('(correct the schema: without it nothing is judged, so nothing starts)');
  });
});

it('a rule that does not exist is refused, with what may have been meant', () => {
  expect(refusedEntry({ rules: ['feature.emty-update'] })).toBe(
    'contract.json: there is no rule "feature.emty-update" (did you mean "feature.empty-update"?)',
  );
  expect(refusedEntry({ rules: ['toString'] })).toMatch(
    /there is no rule "toString" \(rules: project\.unique-environment-id, /,
  );
});

describe('check contract file', () => {
  describe('contract.json', () => {
    it.each([
      [[], 'invalid value [] for contract.json:1:1 (it takes an object)'],
      [{}, 'missing field "contractVersion" of contract.json:1:1 (it takes 1)'],
      [
        { ...flagContract(), contractVersion: 2 },
        'invalid value 2 for contractVersion in contract.json:2:22 (it takes 1)',
      ],
      [
        { ...flagContract(), operation: {} },
        'unknown field "operation" of contract.json:32:3 (did you mean "operations"?)',
      ],
      [
        { ...flagContract(), operations: {} },
        'invalid value {} for operations in contract.json:4:17 (it takes an object with operations: { "updateProject": { … } })',
      ],
      [
        { ...flagContract(), operations: { a: 1 } },
        'invalid value 1 for operations.a in contract.json:5:10 (it takes an object)',
      ],
    ])('%j is refused', (content, message) => {
      expect(refused({ 'contract.json': content })).toContain(message);
    });

    const { parameters } = FLAG_ENTRY;
    it.each<[Record<string, unknown>, string, string]>([
      [{ method: 'put' }, 'invalid value "put" for ~.method in', 'a method in capitals'],
      [{ rule: [] }, 'unknown field "rule" of ~ in', 'did you mean "rules"?'],
      [{ path: 'workspaces/{workspace}' }, 'for ~.path in', 'a path template'],
      [{ path: '/a/{key}/{key}' }, 'for ~.path in', 'a path template that names each parameter once'],
      [{ schema: undefined }, 'for ~ in', 'either "schema" or "schemas"'],
      [{ parameters: undefined }, 'for ~.parameters in', 'of the path: workspace, key'],
      [
        { parameters: { ...parameters, key: { type: 'string', pattern: '(' } } },
        'for ~.parameters.key.pattern in',
        'a regular expression',
      ],
      [{ parameters: { key: { type: 'string' } } }, 'for ~.parameters in', 'of the path: workspace, key'],
      [
        { parameters: { ...parameters, extra: { type: 'string' } } },
        'for ~.parameters in',
        'of the path: workspace, key',
      ],
      [
        { parameters: { ...parameters, key: { type: 'int64' } } },
        '"int64" for ~.parameters.key.type in',
        'one of: integer, int32, integerOrKey, string',
      ],
      [
        { parameters: { ...parameters, key: { type: 'string', keyword: [] } } },
        'unknown field "keyword" of ~.parameters.key in',
        'did you mean "keywords"?',
      ],
      [
        { parameters: { ...parameters, key: { type: 'string', keywords: 'me' } } },
        'for ~.parameters.key.keywords in',
        'a list of words',
      ],
      [
        { parameters: { ...parameters, key: { type: 'string', keywords: [1] } } },
        '1 for ~.parameters.key.keywords[0] in',
        'a word',
      ],
      [{ record: { kind: 'flag', id: 'flag' } }, 'for ~.record.id in', 'of the path: workspace, key'],
      [
        { record: { kind: 'flag', id: 'key', account: 'account' } },
        'for ~.record.account in',
        'a parameter of the path',
      ],
      [
        { rules: [{ name: 'feature.empty-update' }] },
        'missing field "severity" of ~.rules[0] in',
        'severity',
      ],
      [
        { rules: [{ name: 'feature.empty-update', severity: 'fatal' }] },
        '"fatal" for ~.rules[0].severity in',
        'one of: error, warn, off',
      ],
      [
        { canary: { body: {}, rule: 'schema.type' } },
        'missing field "pointer" of ~.canary in',
        'the JSON Pointer of the finding',
      ],
      [
        { canary: { body: {}, rule: 'schema.type', pointer: 1 } },
        'invalid value 1 for ~.canary.pointer in',
        'the JSON Pointer of the finding',
      ],
    ])('with the entry %j is refused', (entry, message, hint) => {
      const refusal = refusedEntry(entry);
      expect(refusal).toContain(`${message.replace('~', 'operations.putFlag')} contract.json:`);
      expect(refusal).toContain(hint);
    });

    it('cannot give two operations that would never be told apart', () => {
      const { operations } = flagContract();
      const twin = {
        ...FLAG_ENTRY,
        path: '/workspaces/{workspace}/flags/{other}',
        record: { kind: 'flag', id: 'other' },
      };
      const parameters = { workspace: FLAG_ENTRY.parameters.workspace, other: { type: 'string' } };
      const content = { ...flagContract(), operations: { ...operations, second: { ...twin, parameters } } };
      expect(refused({ 'contract.json': content })).toContain(
        'it takes another one than that of putFlag, which would never be told from it',
      );
      const post = { ...twin, parameters, method: 'POST' };
      const folder = contractFolder({
        'contract.json': { ...flagContract(), operations: { ...operations, second: post } },
      });
      expect(Object.keys(loadContract(folder).entries)).toEqual(['putFlag', 'second']);
    });
  });
});
