import { styleText } from 'node:util';
import type { Severity } from '../model/finding.ts';

export type Colour = 'red' | 'green' | 'yellow' | 'grey' | 'bold' | 'underline';

/** What gives a text a colour, or another style, on a terminal. */
export type Paint = (colour: Colour, text: string) => string;

/** Whether there are colours is decided elsewhere: the stream is not asked. */
export const coloured: Paint = (colour, text) => styleText(colour, text, { validateStream: false });
export const plain: Paint = (_, text) => text;

export const SEVERITY_COLOURS: Readonly<Record<Severity, Colour>> = { error: 'red', warn: 'yellow' };
