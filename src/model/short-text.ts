/** The beginning of a long text. @param most characters */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The same of all texts in a value of JSON. */
export function withShortTexts<T>(value: T, most: number): T {
  const shorten = (_: string, one: unknown) => (typeof one === 'string' ? shortened(one, most) : one);
  return JSON.parse(JSON.stringify(value, shorten)) as T;
}
