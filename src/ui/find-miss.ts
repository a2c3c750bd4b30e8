import type { ShownExchange } from '../server/show-exchange.ts';

export interface Miss {
  method: string;
  url: string;
  session: string;
  text: string;
  hint: string;
  count: number;
}

/** The latest exchange that was such a miss, among those that are kept. */
export function exchangeOf(
  { method, url, session }: Pick<Miss, 'method' | 'url' | 'session'>,
  exchanges: readonly ShownExchange[],
): number | undefined {
  return exchanges.find(
    ({ request, response, answeredBy, session: own = '' }) =>
      response?.status === 501 &&
      answeredBy === 'gate' &&
      request.method === method &&
      request.url === url &&
      own === session,
  )?.id;
}
