/** What gives a text a colour on a terminal. */
export type Paint = (colour: Colour, text: string) => string;

const CODES = { red: 31, green: 32, yellow: 33 } as const;
export type Colour = keyof typeof CODES;

/** Node's own styleText asks the environment, and not all versions ask the same of it. */
export const coloured: Paint = (colour, text) => `\u001b[${CODES[colour]}m${text}\u001b[39m`;
export const plain: Paint = (_, text) => text;
