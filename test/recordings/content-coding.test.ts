import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  type Sender,
  undoCodings as undoCodingsOf,
  undoCodingsOfStart,
} from '../../src/recordings/content-coding.ts';

const MIB = 1024 * 1024;
/** Not to be made shorter by any coding. */
const noise = (length: number) => {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let i = 0; i < length; i++) {
    state = (state * 48_271) % 2_147_483_647;
    bytes[i] = state >> 8;
  }
  return bytes;
};

const undoCodings = (bytes: Buffer, coding: string | undefined, sender: Sender = 'client') =>
  undoCodingsOf(bytes, coding, sender);

describe('undoCodings', () => {
  it('undoes up to three, the last one first', () => {
    const bytes = Buffer.from('abc');
    const coded = brotliCompressSync(deflateSync(gzipSync(bytes)));
    expect(undoCodings(coded, 'gzip, deflate,BR')?.toString()).toBe('abc');
    expect(undoCodings(gzipSync(coded), 'gzip, deflate, br, gzip')).toBeUndefined();
    expect(undoCodings(gzipSync(bytes), ', identity, gzip')?.toString()).toBe('abc');
    expect(undoCodings(bytes, undefined)).toBe(bytes);
    expect(undoCodings(bytes, 'toString')).toBeUndefined();
  });

  it('undoes what grows a hundred times at most, beyond 64 KiB', () => {
    expect(undoCodings(brotliCompressSync(Buffer.alloc(65_536)), 'br')?.length).toBe(65_536);
    expect(undoCodings(brotliCompressSync(Buffer.alloc(100_000)), 'br')).toBeUndefined();
    const mixed = Buffer.concat([Buffer.alloc(MIB), noise(20_000)]);
    expect(undoCodings(gzipSync(mixed), 'gzip')?.equals(mixed)).toBe(true);
  });

  it('undoes up to 8 MiB', () => {
    const large = (length: number) => gzipSync(Buffer.concat([noise(100_000), Buffer.alloc(length)]));
    expect(undoCodings(large(7 * MIB), 'gzip')?.length).toBe(7 * MIB + 100_000);
    expect(undoCodings(large(8 * MIB), 'gzip')).toBeUndefined();
  });

  it('reads 1 MiB of coded bytes at most, 64 KiB where it is br', () => {
    expect(undoCodings(gzipSync(noise(1_000_000)), 'gzip')?.length).toBe(1_000_000);
    const long = gzipSync(noise(1_100_000));
    expect(undoCodings(long, 'gzip')).toBeUndefined();
    expect(undoCodings(long, 'gzip', 'target')?.length).toBe(1_100_000);
    expect(undoCodings(brotliCompressSync(Buffer.alloc(20_000_000)), 'br', 'target')?.length).toBe(
      20_000_000,
    );
    expect(undoCodings(gzipSync(Buffer.alloc(70_000_000)), 'gzip', 'target')).toBeUndefined();
    expect(undoCodings(brotliCompressSync(noise(60_000)), 'br')?.length).toBe(60_000);
    expect(undoCodings(brotliCompressSync(noise(70_000)), 'br')).toBeUndefined();
    expect(undoCodings(gzipSync(brotliCompressSync(noise(70_000))), 'br, gzip')).toBeUndefined();
  });
});

describe('undoCodingsOfStart', () => {
  const start = (bytes: Buffer, coding: string) => undoCodingsOfStart(bytes, coding, 10_000);

  it('gives all where it fits', () => {
    const bytes = noise(10_000);
    expect(start(deflateSync(bytes), 'deflate')).toEqual({ bytes, cut: false });
    expect(start(bytes, 'identity')).toEqual({ bytes, cut: false });
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('gives the beginning of what is longer: %s', (coding, code) => {
    const long = noise(60_000);
    const { bytes, cut } = start(code(long), coding) ?? expect.fail();
    expect(cut).toBe(true);
    expect(bytes.length).toBeLessThanOrEqual(10_000);
    expect(bytes.equals(long.subarray(0, bytes.length))).toBe(true);
    const twice = start(code(gzipSync(long)), `gzip, ${coding}`) ?? expect.fail();
    expect(twice.cut).toBe(true);
    expect(twice.bytes.equals(long.subarray(0, twice.bytes.length))).toBe(true);
  });

  it('gives some of what is deflated', () => {
    const { bytes } = start(gzipSync(noise(60_000)), 'gzip') ?? expect.fail();
    expect(bytes.length).toBeGreaterThan(1000);
  });

  it('gives nothing of what is broken or unknown', () => {
    expect(start(gzipSync('abc').subarray(0, 15), 'gzip')).toBeUndefined();
    expect(start(Buffer.from('abc'), 'br')).toBeUndefined();
    expect(start(Buffer.from('abc'), 'zstd')).toBeUndefined();
  });
});
