import type { Setting } from './setting.ts';

/** Settings of how a live answer may differ from the recorded one. */
export const VERIFYING = {
  ignoreDrift: {
    kind: 'pointers',
    default: '',
    describe: 'Places in the JSON of answers that may be anything: /updatedAt,/items/*/etag',
  },
  driftHeaders: {
    kind: 'list',
    default: 'content-type,location',
    describe: 'Headers of answers that verify compares',
  },
} as const satisfies Record<string, Setting>;
