/**
 * Whether what is written to a stream may have colours: on a terminal. `NO_COLOR` (https://no-color.org) and `FORCE_COLOR`,
 * which comes first, say otherwise, as they do to Node.
 */
export function isColoured(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: unwanted, TERM: terminal } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (unwanted !== undefined && unwanted !== '') return false;
  return stream.isTTY === true && terminal !== 'dumb';
}
