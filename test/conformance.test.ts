import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gate } from './support/gate.ts';

interface Case {
  name: string;
  method: string;
  headers: Record<string, string>;
  path: string;
  body?: unknown;
  raw?: string;
  expect: {
    outcome: 'forward' | 'block';
    status?: number;
    errors: { rule?: string; pointer: string }[];
    warnings: { rule?: string; pointer: string }[];
  };
}

const folder = new URL('./conformance/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
const proxy = gate();

describe.each(files)('conformance: %s', (file) => {
  const cases = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Case[];

  it.each(cases)('$name', ({ method, path, headers, body, raw, expect: expected }) => {
    const text = raw ?? (body === undefined ? '' : JSON.stringify(body));
    const { verdict } = proxy.inspect({
      method,
      url: path,
      headers: Object.entries(headers).flat(),
      body: Buffer.from(text),
    });
    expect(verdict.outcome).toBe(expected.outcome === 'forward' ? 'pass' : 'block');
    expect(verdict.status).toBe(expected.status);
    for (const [severity, wanted] of [
      ['error', expected.errors],
      ['warn', expected.warnings],
    ] as const) {
      const found = verdict.findings.filter((finding) => finding.severity === severity);
      for (const place of wanted) expect(found).toContainEqual(expect.objectContaining(place));
      // A blocked one may be told more.
      if (expected.outcome === 'forward') expect(found).toHaveLength(wanted.length);
    }
  });
});
