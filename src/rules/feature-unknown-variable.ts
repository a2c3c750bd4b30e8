import { listAt, member } from '../json/json.ts';
import type { Rule } from '../model/rule.ts';
import { idOf } from './duplicates.ts';

export const unknownVariable: Rule = {
  name: 'feature.unknown-variable',
  severity: 'warn',
  basis: 'stated',
  says: 'an id of a variable is not that of one that the flag has',
  source: 'service-api 2.2',
  *check({ body, known }) {
    if (!known?.isWhole || !Array.isArray(member(known.record, 'variables'))) return;
    const has = new Set(listAt(known.record, 'variables').map(idOf));
    const sent = new Set<number | undefined>();
    for (const [index, variable] of listAt(body, 'variables').entries()) {
      const id = idOf(variable);
      sent.add(id);
      if (id !== undefined && !has.has(id)) yield unknown(`/variables/${index}/id`, id, 'the flag has no');
    }
    for (const [i, variation] of listAt(body, 'variations').entries()) {
      for (const [j, assignment] of listAt(variation, 'variables').entries()) {
        const id = member(assignment, 'variableId');
        if (typeof id !== 'number' || has.has(id) || sent.has(id)) continue;
        yield unknown(
          `/variations/${i}/variables/${j}/variableId`,
          id,
          'neither the flag nor this PATCH has a',
        );
      }
    }
  },
  examples: {
    passes: [
      { body: { variables: [{ id: 9 }] } },
      {
        body: {
          variables: [{ id: 1 }, { variableName: 'new' }],
          variations: [{ variables: [{ variableId: 2 }] }],
        },
        known: { variables: [{ id: 1 }, { id: 2 }] },
      },
    ],
    fails: [
      {
        body: {
          variables: [{ id: 9 }],
          variations: [{ variables: [{ variableId: 9 }, { variableId: 8 }] }],
        },
        known: { variables: [{ id: 1 }] },
        pointers: ['/variables/0/id', '/variations/0/variables/1/variableId'],
      },
    ],
  },
};

function unknown(pointer: string, id: number, who: string) {
  return {
    pointer,
    message: `${pointer}: ${who} variable ${id}`,
    hint: 'take the id of one that it has, or leave the id out to add one',
  };
}
