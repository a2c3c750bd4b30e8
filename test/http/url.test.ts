import { expect, it } from 'vitest';
import { hasHttpScheme, isUrl, parseUrl } from '../../src/http/url.ts';
import { oneOf, sequence } from '../support/numbers.ts';

it('tells URLs and their schemes as the parser does, short and long', { tags: 'slow' }, () => {
  const next = sequence(3986);
  const ascii = 'https:|http:|ht\ttps:|x:|//|/|?|#|:|@|[|]|::1|a|.|8|%|%c3|%00|^|<| |\t|\0'.split('|');
  const others = ['|', ...'éßſ１。\u00ad\u200d😀', '\ud800'];
  const pieces = [...ascii, ...others];
  for (let i = 0; i < 20_000; i++) {
    const count = Math.floor(next() * 6);
    const tail = i % 10 === 0 ? `/${'é'.repeat(300)}` : '';
    const start = oneOf(next, ['https://', 'https://', '', ' \0HTTP:\n//']);
    const text = start + Array.from({ length: count }, () => oneOf(next, pieces)).join('') + tail;
    const url = parseUrl(text);
    expect([text, isUrl(text)]).toEqual([text, url !== undefined]);
    if (url) expect([text, hasHttpScheme(text)]).toEqual([text, /^https?:$/.test(url.protocol)]);
  }
});
