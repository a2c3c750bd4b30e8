import type { Route } from './router.ts';

export function Faults(_: { route: Route }) {
  return <h1>Faults</h1>;
}
