import type { Fake } from '../upstreams/fake/start-fake.ts';
import type { Knowledge } from './knowledge.ts';

/** Nothing has to be learnt of the fake: it is asked what it holds. */
export function fakeKnowledge(fake: Pick<Fake, 'recordOf'>): Knowledge {
  return {
    isOfSession: true,
    of(name, session) {
      const record = fake.recordOf(session, name);
      return record && { record, isWhole: true };
    },
  };
}
