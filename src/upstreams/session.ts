/** Where a request says by name which session it is of. */
export const SESSION_HEADER = 'Patchgate-Session';

/** What some requests have in common: their places in the sequences of a recording, their state of the fake. */
export interface Session {
  /** Unique within a run: a session that was ended and begun anew is another one. */
  readonly id: number;
  /** As clients name it; `""` is that of the requests without a name. */
  readonly name: string;
}
