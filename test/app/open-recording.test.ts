import { expect, it } from 'vitest';
import { recordMode } from '../../src/app/open-recording.ts';

const MODES = ['all', 'new_episodes', 'once', 'none'] as const;

it('is what was asked for', () => {
  for (const record of [undefined, ...MODES])
    for (const CI of [undefined, '', 'false', 'False', '0'])
      expect(recordMode({ record }, { CI })).toEqual({ mode: record });
});

it.each(['true', 'True', '1', 'woodpecker'])(
  'records nothing by accident where CI is %s, and says so',
  (CI) => {
    for (const record of ['once', 'new_episodes'] as const)
      expect(recordMode({ record }, { CI })).toEqual({
        mode: 'none',
        notice: `CI is set: --record ${record} replays only, as none does`,
      });
    for (const record of [undefined, 'all', 'none'] as const)
      expect(recordMode({ record }, { CI })).toEqual({ mode: record });
  },
);
