/** Stands in every recording, log and message where a secret was. In matching it equals any value at its place. */
export const REDACTED = '[redacted]';
