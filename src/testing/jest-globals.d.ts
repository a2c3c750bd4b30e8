/** What Jest itself lends to its tests; no package that has to be installed. */
declare module '@jest/globals' {
  export function beforeAll(run: () => Promise<void>): void;
  export const expect: { extend(matchers: object): void };
}
