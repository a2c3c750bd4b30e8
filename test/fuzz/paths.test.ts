/** Many more paths than go over sockets: each reading of a path is one that the matcher has, and honest paths have none. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMatcher } from '../../src/contract/match-operation.ts';
import { shippedContract } from '../support/gate.ts';
import { runs } from '../support/rounds.ts';
import { hostilePath } from './hostile.ts';
import { pathReaders } from './oracle/read-path.ts';

const COUNT = runs('paths', 2000, 100_000);
const match = createMatcher(shippedContract().entries);

it(`sees what any reader makes of ${COUNT} paths`, () => {
  const readers = Object.entries(pathReaders());
  let named = 0;
  fc.assert(
    fc.property(hostilePath, (path) => {
      const reading = readers.find(([, read]) => read(path) !== undefined)?.[0];
      if (reading === undefined) return;
      named++;
      expect(match({ method: 'PATCH', url: path, headers: [] }), `${reading} reads ${path}`).toBeDefined();
    }),
    { numRuns: COUNT },
  );
  expect(named).toBeGreaterThan(COUNT / 4);
});

/** Segments as honest clients write them: names of files and people, coded where that must be. */
const segment = fc.oneof(
  fc.constantFrom('accounts', 'current', 'v2', 'My Docs', 'R&D', '50%', 'a;b', 'größe', '..x', 'x.y', 'ſ'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }),
);

it(`lets ${COUNT} paths of other things alone`, () => {
  fc.assert(
    fc.property(
      fc.array(segment, { maxLength: 6 }),
      fc.constantFrom('campaigns', 'users'),
      (before, kind) => {
        const url = `/${[...before, kind, '42'].map((text) => encodeURIComponent(text)).join('/')}`;
        expect(match({ method: 'PATCH', url, headers: [] })).toBeUndefined();
      },
    ),
    { numRuns: COUNT },
  );
});
