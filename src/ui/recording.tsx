import type { Route } from './router.ts';

export function Recording(_: { route: Route }) {
  return <h1>Recording</h1>;
}
