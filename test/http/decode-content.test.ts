import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  answerBounds,
  decodeContent,
  decodeContentSync,
  REQUEST_BOUNDS,
} from '../../src/http/decode-content.ts';

const MIB = 1024 * 1024;
/** Not to be made shorter by any coding. */
const noise = (length: number) => randomBytes(length);

/** At once and in the thread pool: with the same bounds, both say the same. */
const both = async (bytes: Buffer, coding: string | undefined, bounds = REQUEST_BOUNDS) => {
  const now = decodeContentSync(bytes, coding, bounds);
  const later = await decodeContent(bytes, coding, bounds);
  if (Buffer.isBuffer(now) && Buffer.isBuffer(later)) expect(later.equals(now)).toBe(true);
  else expect(later).toEqual(now);
  return Buffer.isBuffer(now) ? now : now.why;
};
const lengthOf = (decoded: Buffer | string) => decoded.length;

describe('decoding a content', () => {
  it('undoes up to three codings, the last one first', async () => {
    const bytes = Buffer.from('abc');
    const coded = brotliCompressSync(deflateSync(gzipSync(bytes)));
    expect(await both(coded, 'gzip, deflate,BR')).toEqual(bytes);
    expect(await both(gzipSync(coded), 'gzip, deflate, br, gzip')).toBe('too-many-codings');
    expect(await both(gzipSync(bytes), ', identity, gzip')).toEqual(bytes);
    expect(await both(deflateRawSync(bytes), 'deflate')).toEqual(bytes);
  });

  it('gives what has no coding, or no bytes, back at once', () => {
    const bytes = Buffer.from('abc');
    for (const coding of [undefined, 'identity', ''])
      expect(decodeContent(bytes, coding, REQUEST_BOUNDS)).toBe(bytes);
    const nothing = Buffer.alloc(0);
    expect(decodeContent(nothing, 'gzip', REQUEST_BOUNDS)).toBe(nothing);
  });

  it.each(['toString', 'zstd', 'gzip, zstd', 'gzip;q=1'])('does not know %s', async (coding) => {
    expect(await both(Buffer.from('abc'), coding)).toBe('unknown-coding');
  });

  it('tells what is broken or cut, and ignores zeros behind the end', async () => {
    const coded = gzipSync('abc');
    expect(await both(Buffer.from('abc'), 'gzip')).toBe('broken');
    expect(await both(coded.subarray(0, -4), 'gzip')).toBe('broken');
    expect(await both(brotliCompressSync(noise(100)).subarray(0, 50), 'br')).toBe('broken');
    expect(await both(Buffer.concat([coded, Buffer.from('garbage')]), 'gzip')).toBe('broken');
    expect(await both(Buffer.concat([coded, Buffer.alloc(10)]), 'gzip')).toEqual(Buffer.from('abc'));
    expect(await both(Buffer.concat([coded, gzipSync('def')]), 'gzip')).toEqual(Buffer.from('abcdef'));
  });

  it('undoes what grows a hundred times at most, beyond 64 KiB', async () => {
    expect(lengthOf(await both(brotliCompressSync(Buffer.alloc(65_536)), 'br'))).toBe(65_536);
    expect(await both(brotliCompressSync(Buffer.alloc(100_000)), 'br')).toBe('too-large');
    const mixed = Buffer.concat([Buffer.alloc(MIB), noise(20_000)]);
    expect(lengthOf(await both(gzipSync(mixed), 'gzip'))).toBe(mixed.length);
  });

  it('goes by the bytes that were sent, not by those that a coding of several has made', {
    tags: 'slow',
  }, async () => {
    const bomb = brotliCompressSync(gzipSync(gzipSync(Buffer.alloc(64 * MIB))));
    expect(bomb.length).toBeLessThan(1000);
    expect(await both(bomb, 'gzip, gzip, br', answerBounds(64 * MIB))).toBe('too-large');
  });

  it('reads a bounded number of coded bytes: of a request fewer, of br fewest', {
    tags: 'slow',
  }, async () => {
    expect(lengthOf(await both(gzipSync(noise(1_000_000)), 'gzip'))).toBe(1_000_000);
    const long = gzipSync(noise(1_100_000));
    expect(await both(long, 'gzip')).toBe('coded-too-large');
    expect(lengthOf(await both(long, 'gzip', answerBounds(64 * MIB)))).toBe(1_100_000);
    expect(lengthOf(await both(brotliCompressSync(noise(60_000)), 'br'))).toBe(60_000);
    expect(await both(brotliCompressSync(noise(70_000)), 'br')).toBe('coded-too-large');
    expect(await both(gzipSync(brotliCompressSync(noise(70_000))), 'br, gzip')).toBe('coded-too-large');
  });
});
