import type { ShownExchange } from '../server/show-exchange.ts';

export const FILTER_NAMES = ['verdict', 'rule', 'operation', 'method', 'path', 'session', 'text'] as const;

/** Which exchanges are wanted; `""`: any. */
export type ExchangeFilter = Record<(typeof FILTER_NAMES)[number], string>;

/** What the address says of those without a verdict, and of the default session; no session can have that name. */
export const NOT_JUDGED = 'none';
export const DEFAULT_SESSION = '.';

/** What the page says of an exchange: `passed-error` is one that enforce would block, and `missed` one without a recorded answer. */
type VerdictName = 'block' | 'pass' | 'passed-error' | 'missed' | typeof NOT_JUDGED;

export function verdictOf({
  verdict,
  response,
  answeredBy,
}: Pick<ShownExchange, 'verdict' | 'response' | 'answeredBy'>): VerdictName {
  if (response?.status === 501 && answeredBy === 'gate') return 'missed';
  if (verdict?.outcome !== 'pass') return verdict?.outcome ?? NOT_JUDGED;
  return verdict.findings.some(({ severity }) => severity === 'error') ? 'passed-error' : 'pass';
}

export function filterOf(query: URLSearchParams): ExchangeFilter {
  return Object.fromEntries(FILTER_NAMES.map((name) => [name, query.get(name) ?? ''])) as ExchangeFilter;
}

export function isWanted(exchange: ShownExchange, filter: ExchangeFilter): boolean {
  const { request, verdict, session = DEFAULT_SESSION } = exchange;
  const { rule, path, text } = filter;
  return (
    isOneOf(filter.verdict, verdictOf(exchange)) &&
    isOneOf(filter.operation, verdict?.operation) &&
    isOneOf(filter.method, request.method) &&
    isOneOf(filter.session, session) &&
    (rule === '' || !!verdict?.findings.some((finding) => finding.rule === rule)) &&
    (path === '' || request.url.toLowerCase().includes(path.toLowerCase())) &&
    (text === '' || textIn(exchange).includes(text.toLowerCase()))
  );
}

function isOneOf(wanted: string, given: string | undefined): boolean {
  return wanted === '' || wanted === given;
}

const texts = new WeakMap<ShownExchange, string>();

/** All that is shown of it, in lower case. */
function textIn(exchange: ShownExchange): string {
  const known = texts.get(exchange);
  if (known !== undefined) return known;
  const values: unknown[] = [];
  JSON.stringify(exchange, (_, value: unknown) => {
    if (typeof value !== 'object') values.push(value);
    return value;
  });
  const text = values.join('\n').toLowerCase();
  texts.set(exchange, text);
  return text;
}

type FilterChoices = Record<'rule' | 'operation' | 'method' | 'session', string[]>;

/** What there is to choose from, sorted; what is chosen is among it. */
export function choicesOf(exchanges: readonly ShownExchange[], filter: ExchangeFilter): FilterChoices {
  const found = {
    rule: new Set<string>(),
    operation: new Set<string>(),
    method: new Set<string>(),
    session: new Set<string>(),
  };
  for (const { request, verdict, session } of exchanges) {
    found.method.add(request.method);
    found.session.add(session ?? DEFAULT_SESSION);
    if (verdict?.operation) found.operation.add(verdict.operation);
    for (const { rule } of verdict?.findings ?? []) found.rule.add(rule);
  }
  const sorted = (name: keyof FilterChoices) => {
    const chosen = filter[name];
    return [...(chosen === '' ? found[name] : found[name].add(chosen))].sort();
  };
  return {
    rule: sorted('rule'),
    operation: sorted('operation'),
    method: sorted('method'),
    session: sorted('session'),
  };
}
