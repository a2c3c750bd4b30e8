import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/model/exchange.ts';
import { Sequences, type Taken } from '../../../src/upstreams/replay/sequences.ts';
import { exchange } from '../../support/exchanges.ts';

const SESSION = { id: 1, name: '' };
const exchanges = [0, 1, 2].map((i) => exchange({ status: 200 + i }));
const FOUND = {
  key: 'x',
  length: exchanges.length,
  at: (place: number) => exchanges[place] as Exchange,
  indexOf: (place: number) => place,
  isAll: true,
  sessionToRecord: () => '',
  isOfOthers: () => false,
};

function taking(isStrict = false) {
  const sequences = new Sequences(isStrict, () => undefined);
  return () => sequences.take(SESSION, FOUND) as Taken;
}

it('give back what could not be served', () => {
  const take = taking();
  take().giveBack();
  expect(take().exchange).toBe(exchanges[0]);
  const second = take();
  expect(second.exchange).toBe(exchanges[1]);
  second.giveBack();
  expect(take().exchange).toBe(exchanges[1]);
});

it('give nothing back where another one was taken meanwhile', () => {
  const take = taking();
  const first = take();
  take();
  first.giveBack();
  expect(take().exchange).toBe(exchanges[2]);
});

it('give back the last one, which repeats or does not', () => {
  for (const isStrict of [false, true]) {
    const take = taking(isStrict);
    take();
    take();
    take().giveBack();
    expect(take().exchange).toBe(exchanges[2]);
  }
});
