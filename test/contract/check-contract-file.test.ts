import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load-contract.ts';
import {
  contractFolder,
  FLAG_ENTRY,
  flagContract,
  refused,
  refusedEntry,
} from '../support/contract-folder.ts';

describe('contract.json', () => {
  it.each([
    [[], 'the file must be an object'],
    [null, 'the file must be an object'],
    [{}, '/contractVersion must be given'],
    [{ ...flagContract(), contractVersion: 2 }, '/contractVersion must be 1'],
    [
      { ...flagContract(), operation: {} },
      '/operation must be left out: known are contractVersion, source, operations',
    ],
    [{ ...flagContract(), operations: {} }, '/operations must be an object with operations'],
    [{ ...flagContract(), operations: [] }, '/operations must be an object with operations'],
    [{ ...flagContract(), operations: { a: 1 } }, '/operations/a must be an object'],
  ])('%j is refused', (content, message) => {
    expect(refused({ 'contract.json': content })).toBe(
      `contract.json: ${message} (see schemas/contract.json of the package for an example)`,
    );
  });

  it.each<[Record<string, unknown>, string]>([
    [{ method: undefined }, '/method must be given'],
    [{ method: 'put' }, '/method must be a method in capitals'],
    [
      { rule: [] },
      '/rule must be left out: known are method, path, parameters, record, schema, rules, canary',
    ],
    [{ path: 'workspaces/{workspace}' }, '/path must be a path template'],
    [{ path: '/workspaces/{workspace}/flags/{key}/' }, '/path must be a path template'],
    [{ path: '/workspaces/{workspace}?x' }, '/path must be a path template'],
    [{ path: '/workspaces/{1}' }, '/path must be a path template'],
    [{ path: '/a/{key}.json' }, '/path must be a path template'],
    [{ path: '/a/{key}/{key}' }, '/path must be a template that names each parameter once'],
    [{ schema: undefined }, '/schema must be given'],
    [{ schema: {} }, '/schema must be the name of a schema file'],
    [{ parameters: undefined }, '/parameters must be given'],
    [{ parameters: { key: { type: 'string' } } }, '/parameters/workspace must be given'],
    [
      { parameters: { ...FLAG_ENTRY.parameters, extra: { type: 'string' } } },
      '/parameters/extra must be left out: known are workspace, key',
    ],
    [{ parameters: { ...FLAG_ENTRY.parameters, key: 'string' } }, '/parameters/key must be an object'],
    [
      { parameters: { ...FLAG_ENTRY.parameters, key: { type: 'int64' } } },
      '/parameters/key/type must be integer, int32 or string',
    ],
    [
      { parameters: { ...FLAG_ENTRY.parameters, key: { type: 'string', keyword: [] } } },
      '/parameters/key/keyword must be left out',
    ],
    [
      { parameters: { ...FLAG_ENTRY.parameters, key: { type: 'string', keywords: 'me' } } },
      '/parameters/key/keywords must be a list of words',
    ],
    [
      { parameters: { ...FLAG_ENTRY.parameters, key: { type: 'string', keywords: [1] } } },
      '/parameters/key/keywords must be a list of words',
    ],
    [{ record: { kind: 'flag' } }, '/record/id must be given'],
    [{ record: { kind: 'flag', id: 'flag' } }, '/record/id must be a parameter of the path'],
    [
      { record: { kind: 'flag', id: 'key', account: 'account' } },
      '/record/account must be a parameter of the path',
    ],
    [{ record: { kind: 1, id: 'key' } }, '/record/kind must be a text'],
    [{ rules: {} }, '/rules must be a list of rule names'],
    [{ rules: [1] }, '/rules/0 must be an object'],
    [{ rules: [{ name: 'feature.empty-update' }] }, '/rules/0/severity must be given'],
    [
      { rules: [{ name: 'feature.empty-update', severity: 'fatal' }] },
      '/rules/0/severity must be error, warn or off',
    ],
    [{ rules: [{ name: 1, severity: 'warn' }] }, '/rules/0/name must be the name of a rule'],
    [{ canary: undefined }, '/canary must be given'],
    [{ canary: { body: {}, rule: 'schema.type' } }, '/canary/pointer must be given'],
    [
      { canary: { body: {}, rule: 'schema.type', pointer: 1 } },
      '/canary must be a body with the rule and the pointer of its finding',
    ],
  ])('with the entry %j is refused', (entry, message) => {
    expect(refusedEntry(entry)).toMatch(/^contract\.json: \/operations\/putFlag/);
    expect(refusedEntry(entry)).toContain(`/operations/putFlag${message}`);
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
      '/operations/second/path must be another one than that of putFlag',
    );
    const post = { ...twin, parameters, method: 'POST' };
    const folder = contractFolder({
      'contract.json': { ...flagContract(), operations: { ...operations, second: post } },
    });
    expect(Object.keys(loadContract(folder).entries)).toEqual(['putFlag', 'second']);
  });

  it('can have comments', () => {
    const folder = contractFolder({ 'contract.json': { $comment: 'x', ...flagContract({ $comment: 'y' }) } });
    expect(loadContract(folder).entries.putFlag).toMatchObject({ method: 'PUT' });
  });
});
