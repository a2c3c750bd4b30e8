import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keptContract } from '../../src/contract/kept-contracts.ts';
import { loadContract } from '../../src/contract/load-contract.ts';
import { contractFolder, FLAG_SCHEMA, flagContract, PERSON_SCHEMA } from '../support/contract-folder.ts';

it('the same texts make the same contract, and any other text another one', () => {
  const folder = contractFolder();
  const before = loadContract(folder);
  expect(loadContract(join(folder, 'contract.json'))).toBe(before);
  expect(loadContract(contractFolder())).not.toBe(before);
  const change = (name: string, content: object) => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return loadContract(folder);
  };
  const stricter = change('put-flag.json', { ...FLAG_SCHEMA, required: ['on', 'note'] });
  expect(stricter).not.toBe(before);
  expect(stricter.load('putFlag').check({ on: true })).toHaveLength(1);
  expect(before.load('putFlag').check({ on: true })).toEqual([]);
  expect(change('contract.json', flagContract({ path: '/workspaces/{workspace}/flag/{key}' }))).not.toBe(
    stricter,
  );
  change('contract.json', flagContract());
  const more = change('more.json', { ...PERSON_SCHEMA, $id: 'more.json' });
  expect(more).not.toBe(stricter);
});

it('a body leaves nothing for those that come after it', () => {
  const contract = loadContract(contractFolder());
  const owners = Array.from({ length: 300 }, () => ({ email: 1 }));
  const { check } = contract.load('putFlag');
  const first = check({ on: true, owners });
  expect(check({ on: true, owners })).toEqual(first);
  expect(check({ on: true, owners: [{ email: 1 }] })).toHaveLength(1);
});

it('what could not be made is not kept, nor more than a few', () => {
  const texts = (file: string) => ({ file, contractText: '', schemaTexts: new Map() });
  expect(() =>
    keptContract(texts('a'), () => {
      throw new Error('broken');
    }),
  ).toThrow('broken');
  expect(keptContract(texts('a'), () => 'made')).toBe('made');
  expect(keptContract(texts('a'), () => 'again')).toBe('made');
  for (const file of ['b', 'c', 'd', 'e']) keptContract(texts(file), () => file);
  expect(keptContract(texts('a'), () => 'anew')).toBe('anew');
});
