import { expect, it } from 'vitest';
import { isCode } from '../../../src/recordings/redaction/code.ts';

it.each([
  'const token = get("x")',
  'document.cookie = "token=x"',
  'items.map((item) => item.token)',
  'login({ password: "x" });',
  'if (token === "x") f()',
  '<div data-token="x">y</div>',
  'def login(password="x"):',
])('knows code: %s', (text) => {
  expect(isCode(text)).toBe(true);
});

it.each([
  'DB_PASSWORD=x\nTOKEN=y',
  'password: x',
  'mutation { login(password: "x") { id } }',
  'query Q($token: String!) { user(token: $token) { id } }',
  '<login><password>x</password></login>',
  "curl -H 'X-Api-Key: x' https://h.example/?token=y",
  'Let the password = "x" stay, and return soon',
  '"password"=>"x"',
])('knows what is none: %s', (text) => {
  expect(isCode(text)).toBe(false);
});
