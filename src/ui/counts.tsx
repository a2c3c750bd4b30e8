import type { Route } from './router.ts';

export function Counts(_: { route: Route }) {
  return <h1>Counts</h1>;
}
