import { useEffect, useState } from 'preact/hooks';
import type { ShownExchange } from '../server/show-exchange.ts';
import { get } from './api.ts';
import type { Route } from './router.ts';

export function ExchangePage({ route }: { route: Route }) {
  const id = route.path[1] ?? '';
  const [exchange, setExchange] = useState<ShownExchange>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    get<ShownExchange>(`exchanges/${encodeURIComponent(id)}`).then(setExchange, setError);
  }, [id]);
  return (
    <>
      <h1>Exchange {id}</h1>
      {error && <p role="alert">{error.message}</p>}
      {exchange && <pre>{JSON.stringify(exchange, undefined, 2)}</pre>}
    </>
  );
}
