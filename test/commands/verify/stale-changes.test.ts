import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json/json.ts';
import type { Exchange } from '../../../src/model/exchange.ts';
import { exchange } from '../../support/exchanges.ts';
import { at, projectOf, writeRecording } from '../../support/recorded-folder.ts';
import { filesBelow } from '../../support/recordings.ts';
import { closeTargets } from '../../support/target.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Live, startLive, verify } from '../../support/verify.ts';

afterEach(closeTargets);

const LIST = '/api/v2/accounts/current/projects';
const PATH = `${LIST}/42`;
const BEFORE = projectOf([1, 'Production'], 2);
const WRITTEN = { ...BEFORE, languages: ['GO', 'PHP'] };
const NOW = { ...BEFORE, name: 'Shop' };

const get = (json: JsonValue, path = PATH) => exchange({ method: 'GET', path, answer: { json } });
const patch = (json: JsonValue, path = PATH, session?: string) =>
  exchange({ path, body: { json }, recordedAt: at(9), answer: { json: {} }, ...(session && { session }) });

/** What a run with `--update` warns of. */
async function warned(exchanges: Exchange[], answers: Record<string, Live>, args = {}) {
  const folder = temporaryFolder();
  writeRecording(join(folder, 'x'), exchanges);
  const target = await startLive(answers);
  const { code, report } = await verify(folder, target.url, {}, { updates: true, ...args });
  const warnings = report.remarks?.filter(({ severity }) => severity === 'warn') ?? [];
  return { code, report, warnings, folder };
}

describe('what --update leaves as it was', () => {
  it('is told where PATCHes carry what was read before, with how many, where, and what to do', async () => {
    const other = `${LIST}/7`;
    const { code, warnings, report, folder } = await warned(
      [
        ...[get(BEFORE), get(BEFORE, other), patch(WRITTEN, PATH, 'a'), patch(WRITTEN, PATH, 'b')],
        ...[patch({ name: 'Basket' }), patch(WRITTEN, other, 'b')],
      ],
      { [PATH]: { body: NOW }, [other]: { body: NOW } },
    );
    expect(warnings).toEqual([
      {
        severity: 'warn',
        message:
          '3 recorded changes of 2 paths, in 2 sessions, may carry what was read before this update: a client that writes back what it reads misses them now',
        hint: `record anew: PATCHGATE_RECORD=all PATCHGATE_TARGET=URL, and the tests; or take the update back, and update with --path only what none of these rests on: ${[PATH, other].sort().join(', ')}`,
      },
    ]);
    expect([code, report.summary.updated]).toEqual([0, 2]);
    expect(filesBelow(folder)[`x${PATH}/GET.json`]).toContain('"Shop"');
  });

  it('is told of PATCHes that are not selected, or sent again, too: what they carry stays', async () => {
    const answers = { [PATH]: { body: NOW } };
    const reads = { selection: { method: 'GET' } };
    expect((await warned([get(BEFORE), patch(WRITTEN)], answers, reads)).warnings).toHaveLength(1);
    const sent = await warned([get(BEFORE), patch(WRITTEN)], answers, { isUnsafe: true });
    expect(sent.report.summary).toMatchObject({ judged: 2 });
    expect(sent.warnings).toHaveLength(1);
  });

  it('is told where the record was read in a list', async () => {
    const project = (id: number, name: string) => ({ ...BEFORE, id, name });
    const before = { items: [project(7, 'Checkout'), project(42, 'Checkout')] };
    const recorded = [get(before, LIST), patch(WRITTEN)];
    const live = (...items: JsonValue[]) => ({ [LIST]: { body: { items } } });
    const own = await warned(recorded, live(project(7, 'Checkout'), project(42, 'Shop')));
    expect(own.warnings).toHaveLength(1);
    expect((await warned(recorded, live(project(7, 'Shop'), project(42, 'Checkout')))).warnings).toEqual([]);
  });

  it('is told where nobody can say what was read, or what was sent', async () => {
    const page = { ...get(BEFORE), request: { ...get(BEFORE).request, path: PATH } };
    const gone = { ...get({}), response: { status: 404, headers: {} } };
    const answers = { [PATH]: { body: NOW } };
    expect((await warned([gone, patch({ description: 'x' })], answers)).warnings).toHaveLength(1);
    const text = exchange({ path: PATH, body: { text: 'Checkout' } });
    expect((await warned([page, text], answers)).warnings).toHaveLength(1);
  });

  it.each([
    { what: 'reads alone', exchanges: [get(BEFORE)], live: NOW },
    { what: 'another record', exchanges: [get(BEFORE), patch(WRITTEN, `${LIST}/7`)], live: NOW },
    { what: 'a PATCH of something else', exchanges: [get(BEFORE), patch({ languages: ['PHP'] })], live: NOW },
    { what: 'a change without a body', exchanges: [get(BEFORE), exchange({ method: 'DELETE' })], live: NOW },
    { what: 'nothing that drifted', exchanges: [get(BEFORE), patch(WRITTEN)], live: BEFORE },
  ])('is nothing: $what', async ({ exchanges, live }) => {
    expect((await warned(exchanges, { [PATH]: { body: live } })).warnings).toEqual([]);
  });

  it('is nothing where only a header is another one, and without --update', async () => {
    const moved = { [PATH]: { body: BEFORE, headers: { 'content-type': 'application/hal+json' } } };
    const { warnings, report } = await warned([get(BEFORE), patch(WRITTEN)], moved);
    expect([warnings, report.summary.updated]).toEqual([[], 1]);
    const off = await warned([get(BEFORE), patch(WRITTEN)], { [PATH]: { body: NOW } }, { updates: false });
    expect(off.warnings).toEqual([]);
  });
});
