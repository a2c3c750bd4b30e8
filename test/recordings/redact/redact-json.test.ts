import { expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json/json.ts';
import { redactJson } from '../../../src/recordings/redact/redact-text.ts';
import { DEFAULT_REDACTION, hidingTexts, redactionOf } from '../../../src/recordings/redact/redaction.ts';

const GITHUB = `ghp_${'a1B2'.repeat(9)}`;

it('hides places, and nothing beside them', () => {
  const redaction = redactionOf({ redact: ['/users/*/email', '/list/0', '/a~1b'] });
  const value = { users: { x: { email: { a: 1 }, name: 'n' } }, email: 'e', list: [1, 2], 'a/b': true };
  expect(redactJson(value, redaction)).toEqual({
    users: { x: { email: '[redacted]', name: 'n' } },
    email: 'e',
    list: ['[redacted]', 2],
    'a/b': '[redacted]',
  });
});

it('hides matches in texts, and a number that matches whole', () => {
  const redaction = redactionOf({ redactPatterns: ['\\d{4}'] });
  expect(redactJson(['a 1234 b', 1234, 123, ['x']], redaction)).toEqual([
    'a [redacted] b',
    '[redacted]',
    123,
    ['x'],
  ]);
});

it('hides what looks like a secret in values and in names', () => {
  const found: string[] = [];
  const value: JsonValue = { a: [{ b: `x ${GITHUB}` }], [GITHUB]: { token: 1 } };
  const clean = redactJson(value, DEFAULT_REDACTION, ({ what, place }) => found.push(`${what} ${place}`));
  expect(JSON.stringify(clean)).toBe('{"a":[{"b":"x [redacted]"}],"[redacted]":{"token":"[redacted]"}}');
  expect(found).toEqual(['a token /a/0/b', 'the name "token" /[redacted]/token', 'a token /[redacted]']);
});

it('looks into texts that are JSON, forms or URLs', () => {
  const value = { a: '{"token":"x"}', b: 'password=x&c=1', c: 'https://h/?token=x' };
  expect(redactJson(value, DEFAULT_REDACTION)).toEqual({
    a: '{"token":"[redacted]"}',
    b: 'password=[redacted]&c=1',
    c: 'https://h/?token=[redacted]',
  });
});

it('hides a known number', () => {
  expect(redactJson({ a: 12345678, b: 1234567 }, hidingTexts(DEFAULT_REDACTION, ['12345678']))).toEqual({
    a: '[redacted]',
    b: 1234567,
  });
});

it('hides the value that stands beside the name of a secret', () => {
  const found: string[] = [];
  const value = [
    { name: 'DB_PASSWORD', value: 'hunter2' },
    { key: 'x-api-key', value: 'hunter3', type: 'text' },
    { Value: 'hunter4', Name: '/prod/client-secret' },
    { name: 'Set-Cookie', value: 'sid=hunter5; Path=/' },
  ];
  const clean = redactJson(value, DEFAULT_REDACTION, ({ what, place }) => found.push(`${what} ${place}`));
  expect(JSON.stringify(clean)).not.toContain('hunter');
  expect(found[0]).toBe('the name "DB_PASSWORD" /0/value');
});

it('leaves the value beside any other name, and other members beside that of a secret', () => {
  const value = [
    { name: 'theme', value: 'dark' },
    { name: 'password', value: '' },
    { key: 'pageToken', value: '2' },
    { name: 'token', defaultValue: 'blue', id: 1 },
    { type: 'url', value: 'https://h/' },
    { variableId: 1, value: true },
  ];
  expect(redactJson(value, DEFAULT_REDACTION)).toEqual(value);
});
