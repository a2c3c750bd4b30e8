import { cpSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StateKeeper } from '../../../src/guard/kept/state-keeper.ts';
import type { RecordKind, RecordName } from '../../../src/model/record.ts';
import type { KnownState, Sent } from '../../../src/state/known-state.ts';
import { shown } from '../../support/shown.ts';
import { folderInMemory } from '../../support/temporary-folder.ts';

const name: fc.Arbitrary<RecordName> = fc.record({
  base: fc.constantFrom('', '/api/v2'),
  account: fc.constantFrom('current', '196', '200'),
  kind: fc.constantFrom<RecordKind>('project', 'project', 'feature'),
  id: fc.constantFrom('42', '7'),
});
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 });
const record = fc.record({ name: fc.constantFrom('A', 'B'), ids }).map(({ name, ids }) => ({
  name,
  languages: ['GO'],
  environments: ids.map((id) => ({ id, name: `E${id}`, isEnabled: false })),
  variables: ids.map((id) => ({ id, variableName: `v${id}`, dataType: 'string' })),
}));

type Step = (state: KnownState, onTheWay: Sent[]) => void;
const end: fc.Arbitrary<Step> = fc
  .tuple(fc.nat({ max: 3 }), fc.constantFrom('accepted', 'answered', 'rejected', 'unclear'), record)
  .map(([which, how, answer]) => (_, onTheWay) => {
    const [sent] = onTheWay.splice(which % Math.max(1, onTheWay.length), 1);
    if (how === 'answered') sent?.accepted(answer && shown(answer));
    else sent?.[how as 'accepted' | 'rejected' | 'unclear']();
  });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(name, fc.option(record, { nil: undefined })).map(
    ([of, body]): Step =>
      (state, onTheWay) => {
        onTheWay.push(state.send(of, body));
      },
  ),
  end,
  fc.tuple(name, fc.boolean(), record).map(
    ([of, isPart, seen]): Step =>
      (state) => {
        state.read(of, isPart)(shown(seen));
      },
  ),
  name.map(
    (of): Step =>
      (state) =>
        state.forget(of),
  ),
);
const reopen = fc.constantFrom('kill' as const, 'close' as const);

function open(file: string): StateKeeper {
  const notice = (text: string) => {
    throw new Error(text);
  };
  const keeper = new StateKeeper({ file, account: '196', lag: 60_000, notice });
  keeper.open();
  return keeper;
}

const contents = ({ state }: StateKeeper) =>
  new Map([...state.entries()].map(({ name, known }) => [JSON.stringify(name), known]));

test('whatever is learnt, and whenever it is opened again: what was known is known', async () => {
  const folder = folderInMemory();
  let files = 0;
  const newFile = () => join(folder, String(++files), 'state.json');
  const parts = fc.array(fc.tuple(fc.array(step, { maxLength: 12 }), reopen), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(parts, async (all) => {
      let file = newFile();
      const opened = [open(file)];
      for (const [steps, how] of all) {
        const keeper = opened.at(-1) as StateKeeper;
        const onTheWay: Sent[] = [];
        for (const step of steps) step(keeper.state, onTheWay);
        const known = contents(keeper);
        // What is learnt is in the journal before the answers of a turn go out.
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (how === 'close') await keeper.close();
        else {
          const copy = newFile();
          if (existsSync(dirname(file))) cpSync(dirname(file), dirname(copy), { recursive: true });
          rmSync(`${copy}.lock`, { force: true });
          file = copy;
        }
        opened.push(open(file));
        expect(contents(opened.at(-1) as StateKeeper)).toEqual(known);
      }
      for (const keeper of opened) await keeper.close();
    }),
    { numRuns: 60 },
  );
});
