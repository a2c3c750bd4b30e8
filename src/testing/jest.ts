/** `patchgate/jest`: in `setupFilesAfterEnv`, it gives `expect` the matchers. */
export {};
