import { PatchgateError } from '../../errors.ts';

/** Numbers of exchanges as they were typed. @throws PatchgateError `bad-usage` */
export function numbersOf(texts: readonly string[]): number[] {
  return texts.map((text) => {
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    throw new PatchgateError('bad-usage', `${JSON.stringify(text)} is no number of an exchange`, {
      hint: 'the list has them: patchgate recordings show <name>',
    });
  });
}
