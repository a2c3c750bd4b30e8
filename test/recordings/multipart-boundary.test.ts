import { describe, expect, it } from 'vitest';
import { withOneBoundary, withPartsInOrder } from '../../src/recordings/multipart-boundary.ts';

const part = (name: string, value: string) =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;

function body(boundary: string, ...parts: string[]): Buffer {
  return Buffer.from(`--${boundary}\r\n${parts.join(`\r\n--${boundary}\r\n`)}\r\n--${boundary}--\r\n`);
}

const OWN = 'patchgate-boundary';

describe('a multipart body', () => {
  it.each([
    ['multipart/form-data; boundary=x1', 'x1', `multipart/form-data; boundary=${OWN}`],
    [
      'Multipart/Mixed;Boundary="a b"; charset=utf-8',
      'a b',
      `Multipart/Mixed;Boundary=${OWN}; charset=utf-8`,
    ],
    ['multipart/form-data; boundary=----f.+(a', '----f.+(a', `multipart/form-data; boundary=${OWN}`],
  ])('gets the one boundary: %s', (type, boundary, expected) => {
    const parts = [part('a', `--${boundary} is not one here: --${boundary}`.slice(3)), part('b', '\u00fc')];
    expect(withOneBoundary(type, body(boundary, ...parts))).toEqual({
      contentType: expected,
      body: body(OWN, ...parts),
    });
  });

  it.each([
    ['no multipart', 'text/plain; boundary=x', body('x', 'a')],
    ['no boundary', 'multipart/form-data', body('x', 'a')],
    ['no media type', undefined, body('x', 'a')],
    ['its own already', `multipart/form-data; boundary=${OWN}`, body(OWN, 'a')],
    ['its own within', 'multipart/form-data; boundary=x', body('x', OWN)],
  ])('stays as it is: %s', (_, type, bytes) => {
    expect(withOneBoundary(type, bytes)).toBeUndefined();
  });

  it('has its parts in the order of their names, those of one name as they came', () => {
    const [a, b1, b2] = [part('a', '1'), part('b', '2'), part('b', '1')];
    expect(withPartsInOrder(body(OWN, b1, a, b2).toString())).toBe(body(OWN, a, b1, b2).toString());
    expect(withPartsInOrder('none')).toBe('none');
  });
});
