import type { ReporterOptions } from '../../src/reporters/report.ts';

export const SAMPLE_OPTIONS: ReporterOptions = {
  failOn: 'error',
  isColoured: false,
  cwd: '/repo',
  root: '/repo',
  version: '1.2.3',
  now: new Date('2026-11-21T12:00:00Z'),
};

export const joined = (pieces: Iterable<string>) => [...pieces].join('');
