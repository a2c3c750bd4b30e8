import { expect, it } from 'vitest';
import { parseUrl } from '../../src/model/url.ts';

it('reads what is a URL', () => {
  expect(parseUrl('https://shop.example/cart?x=1')?.pathname).toBe('/cart');
  expect(parseUrl('shop.example/cart')).toBeUndefined();
  expect(parseUrl('')).toBeUndefined();
});

it('goes on reading hosts that are not ASCII, however often it is asked', () => {
  for (let i = 0; i < 20_000; i++) parseUrl('https://shop.example/');
  expect(parseUrl('https://é.example/')?.hostname).toBe('xn--9ca.example');
});
