import { expect, it } from 'vitest';
import { pathFrom, shortPath } from '../../src/settings/short-path.ts';

it('is a name as seen from a folder, or the whole where that is shorter', () => {
  expect(shortPath('/work/app/a.json', '/work/app')).toBe('a.json');
  expect(shortPath('/work/shop/a.json', '/work/shop/app')).toBe('../a.json');
  expect(shortPath('/a.json', '/work/app/packages')).toBe('/a.json');
  expect(shortPath('/work/app', '/work/app')).toBe('.');
});

it('is a path of another folder', () => {
  expect(pathFrom('/work', 'recordings', '/work/app')).toBe('../recordings');
  expect(pathFrom('/work/app', './recordings/', '/work/app')).toBe('./recordings/');
  expect(pathFrom('/work', '/etc/ca.pem', '/work/app')).toBe('/etc/ca.pem');
  expect(pathFrom('/work', '', '/work/app')).toBe('');
});
