import { expect, it } from 'vitest';
import { HarSlices } from '../../../../src/commands/check/har/har-slices.ts';

const MIB = 1024 * 1024;

function slicesOf(text: string, size: number, most?: number) {
  const slices = new HarSlices('x.har', most);
  const bytes = Buffer.from(text);
  const found = [];
  for (let at = 0; at < bytes.length; at += size) found.push(...slices.feed(bytes.subarray(at, at + size)));
  slices.end();
  return found;
}

it('gives all that stands beside the entries, too, each where it stands', () => {
  const text = '{ "x": [1, "}"],\n"log": {"a": -1.5e3 ,"entries":\n[\n{"é": "\\"]"}, {}], "b": true}\n}\n';
  const place = (line: number, column: number, lead: string) => ({ line, column, lead });
  const found = slicesOf(text, 1000);
  expect(found).toEqual([
    { pointer: '/x', isEntry: false, value: [1, '}'], text: '[1, "}"]', start: place(1, 8, '{ "x": ') },
    {
      ...{ pointer: '/log/a', isEntry: false, value: -1500, text: '-1.5e3' },
      start: place(2, 14, '"log": {"a": '),
    },
    {
      ...{ pointer: '/log/entries/0', isEntry: true, value: { é: '"]' }, text: '{"é": "\\"]"}' },
      start: place(4, 1, ''),
    },
    {
      ...{ pointer: '/log/entries/1', isEntry: true, value: {}, text: '{}' },
      start: place(4, 15, '{"é": "\\"]"}, '),
    },
    {
      ...{ pointer: '/log/b', isEntry: false, value: true, text: 'true' },
      start: place(4, 25, '{"é": "\\"]"}, {}], "b": '),
    },
  ]);
  for (const size of [1, 2, 3, 5]) expect(slicesOf(text, size)).toEqual(found);
});

it('bounds the size of an entry, and tells what is wrong before that', () => {
  const text = `{"log":{"entries":[\n{"x":"${'y'.repeat(1000)}`;
  expect(() => slicesOf(text, 100, MIB / 2048)).toThrow(
    expect.objectContaining({
      code: 'bad-input',
      message: 'x.har:2:1: /log/entries/0 has more than 0.00048828125 MiB',
      hint: expect.stringContaining('without the contents'),
    }),
  );
  const broken = text.replace('yyy', '\ty');
  expect(() => slicesOf(broken, 100, MIB / 2048)).toThrow('x.har:2:7: expected a string without raw control');
});
