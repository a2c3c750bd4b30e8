import type { ShownExchange } from '../server/show-exchange.ts';
import { isUnguarded, KINDS, kindOf, marksOf } from './words.ts';

type Test = (exchange: ShownExchange) => boolean;

const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;

const WORDS: Readonly<Record<string, Test>> = {
  ...Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, (exchange) => kindOf(exchange) === kind])),
  unguarded: isUnguarded,
  approved: (exchange) => marksOf(exchange).has('deletion approved'),
  replayed: ({ answeredBy }) => answeredBy === 'recording',
};

const FIELDS: Readonly<Record<string, (exchange: ShownExchange, value: string) => boolean>> = {
  status: ({ response }, value) =>
    [...value].every((digit, i) => digit === 'x' || digit === String(response?.status ?? '')[i]),
  rule: ({ verdict }, value) => (verdict?.findings ?? []).some(({ rule }) => rule.includes(value)),
  operation: ({ verdict }, value) => (verdict?.operation ?? '').toLowerCase() === value,
  session: ({ session = '' }, value) => session.toLowerCase() === value,
};

/**
 * The exchanges that a filter wants; all of its words must hold. A word is a verdict or mark (`blocked`), a method (`PATCH`), a
 * field (`status:4xx`, `rule:`, `operation:`, `session:`), or a part of the path or of a finding. `-` in front of it: not so.
 */
export function filterOf(text: string): Test {
  const tests = text.split(/\s+/).filter(Boolean).map(testOf);
  return (exchange) => tests.every((test) => test(exchange));
}

function testOf(word: string): Test {
  if (word.length > 1 && word.startsWith('-')) {
    const test = testOf(word.slice(1));
    return (exchange) => !test(exchange);
  }
  if (METHODS.test(word)) return ({ request }) => request.method === word;
  const lower = word.toLowerCase();
  const known = Object.hasOwn(WORDS, lower) ? WORDS[lower] : undefined;
  if (known) return known;
  const [, name = '', value = ''] = /^(\w+):(.+)$/.exec(lower) ?? [];
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (field) return (exchange) => field(exchange, value);
  return (exchange) => textOf(exchange).includes(lower);
}

function textOf({ request, verdict, failure = '', fault = '', session = '' }: ShownExchange): string {
  const found = (verdict?.findings ?? []).flatMap(({ rule, message }) => [rule, message]);
  return [request.method, request.url, verdict?.operation, failure, fault, session, ...found]
    .join('\n')
    .toLowerCase();
}

export function hasWord(text: string, word: string): boolean {
  return text.split(/\s+/).includes(word);
}

/** The filter with a word more, or without it. */
export function toggleWord(text: string, word: string): string {
  const words = text.split(/\s+/).filter(Boolean);
  return (words.includes(word) ? words.filter((one) => one !== word) : [...words, word]).join(' ');
}
