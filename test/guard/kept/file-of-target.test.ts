import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileOfTarget } from '../../../src/guard/kept/file-of-target.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function holding(content: string | undefined): string {
  const file = join(temporaryFolder(), 'state.json');
  if (content !== undefined) writeFileSync(file, content);
  return file;
}

const of = (target: string) => JSON.stringify({ target, accounts: {} }, null, 2);

it.each([
  ['is not there', undefined],
  ['does not say of what it is', '{"accounts": {}}'],
  ['is of this service', of('https://staging.example.com')],
  ['is of this service by another path', of('https://staging.example.com/api/v2/')],
  ['is broken', '{"target": "'],
])('is the default one where that %s', (_, content) => {
  const file = holding(content);
  expect(fileOfTarget(file, 'https://staging.example.com/api/v2')).toBe(file);
});

it.each([
  ['https://example.com', 'state-example.com.json'],
  ['http://127.0.0.1:4011/x', 'state-127.0.0.1-4011.json'],
  ['http://[::1]:4011', 'state--1-4011.json'],
])('is one beside it for another service: %s', (target, name) => {
  const file = holding(of('http://127.0.0.1:4010'));
  expect(fileOfTarget(file, target)).toBe(file.replace('state.json', name));
});
