import type { Effect } from '../model/effect.ts';
import type { RecordKind } from '../model/record.ts';

/** A list of a feature or draft whose items have ids: service-api 2.2 and 2.3. */
export interface RecordList {
  /** The top-level field. */
  field: string;
  /** The members of an item that tell it from others, and that say what it is called. */
  id: string;
  name: string;
  /** Those that are kept of it. */
  kept: readonly string[];
  /** What it is where a PATCH leaves an item out. */
  effect: Extract<Effect, { possible: true }>['kind'];
}

/** What features and drafts hold that a PATCH could lose. Of a flag's variation the id is its key. */
export const RECORD_LISTS: Readonly<Record<Exclude<RecordKind, 'project'>, readonly RecordList[]>> = {
  feature: [
    {
      field: 'variables',
      id: 'id',
      name: 'variableName',
      kept: ['id', 'variableName', 'dataType'],
      effect: 'variable-removed',
    },
    { field: 'variations', id: 'key', name: 'name', kept: ['key', 'name'], effect: 'variation-removed' },
    { field: 'goals', id: 'metricId', name: 'name', kept: ['metricId'], effect: 'goal-removed' },
  ],
  draft: [
    { field: 'variations', id: 'id', name: 'name', kept: ['id', 'name'], effect: 'variation-removed' },
    { field: 'goals', id: 'id', name: 'name', kept: ['id', 'name'], effect: 'goal-removed' },
  ],
};
