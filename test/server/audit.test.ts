import { mkdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Effect } from '../../src/model/effect.ts';
import type { Verdict } from '../../src/model/finding.ts';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import { Audit } from '../../src/server/audit.ts';
import { type Entry, entriesBy } from '../../src/server/entry.ts';
import { finished } from '../support/finished-exchange.ts';
import { gate } from '../support/gate.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const BLOCKED: Verdict = { outcome: 'block', findings: [], omitted: 0, status: 422 };

function newAudit() {
  const file = join(temporaryFolder(), 'audit.jsonl');
  const notices: string[] = [];
  const audit = new Audit({
    ...{ file, entryOf: entriesBy(gate(), DEFAULT_REDACTION, true) },
    notice: (text) => notices.push(text),
  });
  const add = (verdict: Verdict, effects: readonly Effect[] = []) =>
    audit.finished(finished({ verdict, effects }));
  const lines = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Entry);
  return { file, audit, add, lines, notices };
}

it('cuts what is very long, and says how much was left out', () => {
  const { add, lines } = newAudit();
  const finding = {
    rule: 'schema.enum',
    severity: 'error',
    basis: 'stated',
    pointer: `/${'a'.repeat(9000)}`,
    message: 'b'.repeat(9000),
  } as const;
  const added = Array.from({ length: 103 }, () => ({ kind: 'language-added', name: 'GO' }) as const);
  add({ ...BLOCKED, findings: [finding], omitted: 7 }, added);
  const [line] = lines();
  expect([line?.findings?.[0]?.pointer.length, line?.findings?.[0]?.message.length]).toEqual([501, 501]);
  expect(line).toMatchObject({ findingsOmitted: 7, effectsOmitted: 3 });
});

it('names all that is lost, however much it is', () => {
  const { add, lines } = newAudit();
  const lost = Array.from({ length: 150 }, (_, id) => ({
    ...({ kind: 'environment-deleted', id, name: 'n'.repeat(300) } as const),
  }));
  add(BLOCKED, [{ kind: 'language-added', name: 'GO' }, ...lost]);
  const [line] = lines();
  expect(line?.effects).toEqual(lost.map((one) => ({ ...one, name: `${'n'.repeat(200)}…` })));
  expect(line?.effectsOmitted).toBe(1);
});

it('loses the oldest lines where more wait than there is room for, and says so', () => {
  const { file, audit, add, lines, notices } = newAudit();
  renameSync(file, `${file}.1`);
  mkdirSync(file);
  const long = {
    rule: 'r',
    severity: 'error',
    basis: 'stated',
    pointer: '',
    message: 'x'.repeat(500),
  } as const;
  const findings = Array.from({ length: 100 }, () => long);
  for (let i = 0; i < 100; i++) add({ ...BLOCKED, findings, omitted: i });
  expect(notices).toEqual([expect.stringMatching(/^THE AUDIT CANNOT BE WRITTEN: .* wait in memory/)]);
  rmdirSync(file);
  add(BLOCKED);
  const kept = lines();
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.at(-2)?.findingsOmitted).toBe(99);
  expect(notices.at(-1)).toBe(`the audit is written again: ${101 - kept.length} lines of it are lost`);
  expect(audit.trouble).toBeUndefined();
});
