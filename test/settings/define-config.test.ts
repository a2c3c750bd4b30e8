import { describe, expect, it } from 'vitest';
import { defineConfig, type UserConfig } from '../../src/settings/define-config.ts';
import { config } from '../support/config.ts';

describe('defineConfig', () => {
  it('gives back what it is given, of which the types take what the product takes', async () => {
    const written = defineConfig({
      port: 0,
      timeout: '250ms',
      record: true,
      guard: false,
      state: false,
      fault: ['updateProject status=503', { method: 'GET', latency: '50ms..200ms', rate: 0.5 }],
      redact: 'pin,ssn',
      ignorePointers: ['/environments/*/id'],
      basePath: '/api/v2',
      target: undefined,
      overrides: [{ files: 'legacy/**', rules: { 'schema.unknown-field': 'off' } }],
    });
    expect(await config({ file: { ...written } })).toMatchObject({
      timeout: 250,
      record: 'all',
      guard: 'off',
      state: '',
      fault: [{ operation: 'updateProject' }, { latency: { from: 50, to: 200 } }],
      redact: ['pin', 'ssn'],
    });
  });

  it('refuses in its types what the product refuses', () => {
    // The type check of the whole repository fails where one of these is taken.
    const wrong: UserConfig[] = [
      // @ts-expect-error there is no such setting
      { recrding: 'x' },
      // @ts-expect-error no unit of time
      { timeout: '30 sec' },
      // @ts-expect-error a number has no unit
      { timeout: 30 },
      // @ts-expect-error a text is no number
      { port: '4010' },
      // @ts-expect-error a text is not true
      { failUnused: 'true' },
      // @ts-expect-error none of the words
      { validation: 'enforced' },
      // @ts-expect-error it has no bare meaning
      { validation: true },
      // @ts-expect-error no severity
      { overrides: [{ rules: { 'schema.type': 'fatal' } }] },
    ];
    expect(wrong.map(defineConfig)).toEqual(wrong);
  });
});
