import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadContract } from '../../src/contract/load-contract.ts';
import { createGate } from '../../src/gate/gate.ts';
import type { ContractFile, OperationEntry } from '../../src/model/contract.ts';
import { refusal } from './errors.ts';
import { PROXY_DEFAULTS } from './gate.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A contract of another service: one operation, its schema beside it. */
export const FLAG_ENTRY: OperationEntry = {
  method: 'PUT',
  path: '/workspaces/{workspace}/flags/{key}',
  parameters: { workspace: { type: 'int32', source: 'the docs' }, key: { type: 'string' } },
  record: { kind: 'flag', id: 'key' },
  schema: 'put-flag.json',
  rules: [],
  canary: { body: { on: 'yes' }, rule: 'schema.type', pointer: '/on' },
};

export const FLAG_SCHEMA = {
  $id: 'put-flag.json',
  type: 'object',
  furtherFields: 'none',
  properties: {
    on: { type: 'boolean' },
    note: { type: 'string', minLength: 1, observed: { enum: ['beta'] } },
    owners: { type: 'array', items: { $ref: 'person.json' } },
  },
  required: ['on'],
};

export const PERSON_SCHEMA = {
  $id: 'person.json',
  type: 'object',
  properties: { email: { type: 'string' } },
  additionalProperties: false,
};

/** `contract.json` with that operation, changed as a test wants it. */
export function flagContract(entry: Record<string, unknown> = {}): ContractFile {
  return {
    contractVersion: 1,
    source: 'the docs',
    operations: { putFlag: { ...FLAG_ENTRY, ...entry } as OperationEntry },
  };
}

/** A new temporary folder with files; what is no text is written as JSON. */
export function contractFolder(files: Readonly<Record<string, unknown>> = {}): string {
  const folder = temporaryFolder();
  const all = {
    'contract.json': flagContract(),
    'put-flag.json': FLAG_SCHEMA,
    'person.json': PERSON_SCHEMA,
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    if (content === undefined) continue;
    writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    );
  }
  return folder;
}

/** What loading a contract and building a gate of it is refused with; the folder's name is left out. */
export function refused(files: Readonly<Record<string, unknown>>): string {
  const folder = contractFolder(files);
  return refusal('bad-contract', () => createGate(loadContract(folder), PROXY_DEFAULTS)).replaceAll(
    `${folder}/`,
    '',
  );
}

/** The same for an entry that differs in something. */
export function refusedEntry(entry: Record<string, unknown>): string {
  return refused({ 'contract.json': flagContract(entry) });
}
