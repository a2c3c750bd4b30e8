import type { Severity } from '../model/finding.ts';

/** What gives a text a colour, or another style, on a terminal. */
export type Paint = (colour: Colour, text: string) => string;

const CODES = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  grey: [90, 39],
  bold: [1, 22],
  underline: [4, 24],
} as const;
export type Colour = keyof typeof CODES;

/** Node's own styleText asks the environment, and not all versions ask the same of it. */
export const coloured: Paint = (colour, text) => {
  const [begin, end] = CODES[colour];
  return `\u001b[${begin}m${text}\u001b[${end}m`;
};
export const plain: Paint = (_, text) => text;

export const SEVERITY_COLOURS: Readonly<Record<Severity, Colour>> = { error: 'red', warn: 'yellow' };
