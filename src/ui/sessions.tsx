import type { Route } from './router.ts';

export function Sessions(_: { route: Route }) {
  return <h1>Sessions</h1>;
}
