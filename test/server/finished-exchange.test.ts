import { describe, expect, it } from 'vitest';
import { BodyKeeper, bodyToShow } from '../../src/server/finished-exchange.ts';

const KEPT = 65_536;

describe('of a body in hand', () => {
  it('its bytes are kept', () => {
    const body = Buffer.alloc(KEPT, 'x');
    expect(bodyToShow(body)).toEqual({ bytes: body, size: KEPT });
    expect(bodyToShow(Buffer.alloc(0))).toBeUndefined();
  });

  it('the start is kept where it is long', () => {
    const long = Buffer.alloc(1_000_000, 'x');
    const kept = bodyToShow(long);
    expect(kept).toMatchObject({ size: 1_000_000 });
    expect(kept?.bytes.equals(Buffer.alloc(KEPT, 'x'))).toBe(true);
  });
});

describe('of a body that goes by', () => {
  it('all is kept of a short one, and nothing of an empty one', () => {
    const keeper = new BodyKeeper();
    expect(keeper.kept).toBeUndefined();
    const tiny = Array.from({ length: 1000 }, () => Buffer.from('y'));
    for (const chunk of tiny) keeper.add(chunk);
    expect(keeper.kept).toEqual({ bytes: Buffer.alloc(1000, 'y'), size: 1000 });
  });

  it('what is kept does not change, though the body goes on', () => {
    const keeper = new BodyKeeper();
    keeper.add(Buffer.alloc(40_000, 'x'));
    const before = keeper.kept;
    for (let i = 0; i < 3; i++) keeper.add(Buffer.alloc(40_000, 'y'));
    expect(before?.bytes.equals(Buffer.alloc(40_000, 'x'))).toBe(true);
    const start = Buffer.concat([Buffer.alloc(40_000, 'x'), Buffer.alloc(KEPT - 40_000, 'y')]);
    expect(keeper.kept).toMatchObject({ size: 160_000 });
    expect(keeper.kept?.bytes.equals(start)).toBe(true);
  });
});
