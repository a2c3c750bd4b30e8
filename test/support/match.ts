import { createMatcher } from '../../src/contract/match-operation.ts';
import { brief, shippedContract } from './gate.ts';

const { entries } = shippedContract();

/** What a request means to the shipped contract: `updateProject` with the findings behind it; undefined: nothing. */
export function match(
  url: string,
  request: { method?: string; headers?: string[] } = {},
): string | undefined {
  const { method = 'PATCH', headers = [] } = request;
  const found = createMatcher(entries)({ method, url, headers });
  if (!found) return undefined;
  const said = [found.operation, ...brief(found.findings)].join(' ');
  return found.isByBody ? `${said}, by its body` : said;
}

export const AMBIGUOUS = 'updateProject request.ambiguous-path error';
