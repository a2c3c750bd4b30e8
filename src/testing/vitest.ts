/** `patchgate/vitest`: in `setupFiles`, it gives `expect` the matchers. */
export {};
