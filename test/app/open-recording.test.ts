import { expect, it } from 'vitest';
import { recordMode } from '../../src/app/open-recording.ts';

const MODES = ['all', 'new_episodes', 'once', 'none'] as const;

it('is what was asked for', () => {
  for (const record of [undefined, ...MODES])
    for (const CI of [undefined, '', 'false', 'False', '0'])
      expect(recordMode({ record, recordInCi: false }, { CI })).toEqual({ mode: record });
});

it.each(['true', 'True', '1', 'woodpecker'])(
  'records nothing by accident where CI is %s, and says so',
  (CI) => {
    for (const record of ['once', 'new_episodes'] as const)
      expect(recordMode({ record, recordInCi: false }, { CI })).toEqual({
        mode: 'none',
        notice: `CI is set: --record ${record} replays only, as none does; --record-in-ci records all the same`,
      });
    for (const record of [undefined, 'all', 'none'] as const)
      expect(recordMode({ record, recordInCi: false }, { CI })).toEqual({ mode: record });
  },
);

it('records there where that is asked for', () => {
  for (const record of MODES)
    expect(recordMode({ record, recordInCi: true }, { CI: 'true' })).toEqual({ mode: record });
});
