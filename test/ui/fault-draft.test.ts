import { expect, it } from 'vitest';
import { readFaultsGiven } from '../../src/settings/faults.ts';
import { bodyOf, draftOf, type FaultDraft, fieldOf, withLines } from '../../src/ui/fault-draft.ts';

it('makes a draft of what holds, and the same of the draft', () => {
  const faults = ['PATCH status=503', 'GET reset'].map((fault) => ({ fault, matched: 1, applied: 0 }));
  const draft = draftOf({ seed: 7, latency: '50ms', faults });
  expect(draft).toEqual({ faults: 'PATCH status=503\nGET reset', latency: '50ms', seed: '7' });
  expect(bodyOf(draft)).toEqual({ faults: ['PATCH status=503', 'GET reset'], latency: '50ms', seed: 7 });
  expect(bodyOf({ faults: '\n \n', latency: ' ', seed: '' })).toEqual({ faults: [] });
});

const DRAFT: FaultDraft = { faults: '', latency: '', seed: '1' };

it.each<[Partial<FaultDraft>, keyof FaultDraft]>([
  [{ faults: 'GET sttaus=503' }, 'faults'],
  [{ faults: 'GET latency=never' }, 'faults'],
  [{ faults: 'GET reset status=500' }, 'faults'],
  [{ faults: 'GET' }, 'faults'],
  [{ faults: 'GET /latency latency=seed' }, 'faults'],
  [{ latency: 'long' }, 'latency'],
  [{ latency: '5' }, 'latency'],
  [{ seed: 'many' }, 'seed'],
  [{ seed: '-1' }, 'seed'],
])('knows the field of what is wrong in %j', (given, field) => {
  let message = '';
  try {
    readFaultsGiven(bodyOf({ ...DRAFT, ...given }) as never);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).not.toBe('');
  expect([message, fieldOf(message)]).toEqual([message, field]);
});

it('knows no field of any other error', () => {
  expect(fieldOf('Patchgate does not answer')).toBeUndefined();
});

it('names the line of a fault, empty lines counted', () => {
  const faults = 'GET reset\n\nGET sttaus=503';
  expect(withLines('unknown field in faults[1]', faults)).toBe('unknown field in line 3');
  expect(withLines('faults[0] and faults[7]', faults)).toBe('line 1 and faults[7]');
});
