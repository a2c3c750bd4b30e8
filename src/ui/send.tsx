import type { Route } from './router.ts';

export function Send(_: { route: Route }) {
  return <h1>Send</h1>;
}
