/** `patchgate/fast-check`: bodies from the contract, for properties. */
export {};
