import type { Route } from './router.ts';

export function Approvals(_: { route: Route }) {
  return <h1>Approvals</h1>;
}
