/** Recordings written by hand, as their files stand on disk. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../src/json/json.ts';
import type { Exchange } from '../../src/model/exchange.ts';
import { locationOf } from '../../src/recordings/names.ts';
import { stringifyRecording } from './exchanges.ts';

/** A project with environments of these ids, called `env 1`; `[1, 'Production']` has a name of its own. */
export function projectOf(...environments: (number | readonly [id: number, name: string])[]): JsonObject {
  return {
    name: 'Checkout',
    languages: ['GO'],
    environments: environments.map((one, index) => {
      const [id, name] = typeof one === 'number' ? [one, `env ${one}`] : one;
      return { id, name, isEnabled: index === 0 };
    }),
  };
}

/** Writes exchanges to the files that they belong to, each file's in the order given. @returns the files' names, below `recording` */
export function writeRecording(recording: string, exchanges: readonly Exchange[]): string[] {
  const files = new Map<string, Exchange[]>();
  for (const one of exchanges) {
    const location = locationOf(one.request.method, one.request.path);
    files.set(location, [...(files.get(location) ?? []), one]);
  }
  for (const [location, own] of files) {
    const file = join(recording, location);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, stringifyRecording(own));
  }
  return [...files.keys()];
}
