import { expect, it } from 'vitest';
import { decodePart } from '../../../src/recordings/redaction/redact-text.ts';

function byDecodeUriComponent(part: string): string {
  const spaced = part.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

const PARTS = [
  'a',
  '+',
  '%2B',
  '%',
  '%z',
  '%zz',
  '%4',
  '%4g',
  '%41',
  '%c3%BC',
  '%c3',
  '%bc',
  'ü',
  '😀',
  '%00',
];
PARTS.push(
  '%ed%a0%80',
  '%f0%9f%98%80',
  '%f4%90%80%80',
  '%c0%80',
  '%ef%bb%bf',
  '%25',
  '41',
  '%ff',
  '/',
  '%@A',
  '%`1',
);

it.each(PARTS.flatMap((one) => PARTS.map((other) => one + other)))(
  'decodes as decodeURIComponent does, or leaves it: %s',
  (part) => expect(decodePart(part)).toBe(byDecodeUriComponent(part)),
);
