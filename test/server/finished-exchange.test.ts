import { describe, expect, it } from 'vitest';
import { BodyKeeper, type BodyStart, bodyToShow } from '../../src/server/finished-exchange.ts';

const KEPT = 65_536;

describe('of a body in hand', () => {
  it('its very bytes are kept, without a copy', () => {
    const body = Buffer.alloc(KEPT, 'x');
    expect(bodyToShow(body)).toBe(body);
    expect(bodyToShow(Buffer.alloc(0))).toBeUndefined();
  });

  it('the start is kept where it is long', () => {
    const long = Buffer.alloc(1_000_000, 'x');
    const kept = bodyToShow(long);
    expect(kept).toMatchObject({ size: 1_000_000 });
    expect((kept as BodyStart).bytes.equals(Buffer.alloc(KEPT, 'x'))).toBe(true);
  });
});

describe('of a body that goes by', () => {
  it('all is kept of a short one, and nothing of an empty one', () => {
    const keeper = new BodyKeeper();
    expect(keeper.kept).toBeUndefined();
    const tiny = Array.from({ length: 1000 }, () => Buffer.from('y'));
    for (const chunk of tiny) keeper.add(chunk);
    expect(keeper.kept).toEqual(Buffer.alloc(1000, 'y'));
  });

  it('what is kept does not change, though the body goes on', () => {
    const keeper = new BodyKeeper();
    keeper.add(Buffer.alloc(40_000, 'x'));
    const before = keeper.kept;
    for (let i = 0; i < 3; i++) keeper.add(Buffer.alloc(40_000, 'y'));
    expect(Buffer.alloc(40_000, 'x').equals(before as Buffer)).toBe(true);
    const start = Buffer.concat([Buffer.alloc(40_000, 'x'), Buffer.alloc(KEPT - 40_000, 'y')]);
    expect(keeper.kept).toMatchObject({ size: 160_000 });
    expect((keeper.kept as BodyStart).bytes.equals(start)).toBe(true);
  });
});
