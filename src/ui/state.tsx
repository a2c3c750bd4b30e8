import type { Route } from './router.ts';

export function StatePage(_: { route: Route }) {
  return <h1>Known records</h1>;
}
