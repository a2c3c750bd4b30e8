/** Finds what JSON may have to escape. */
export const ODD = /["\\]|[^ -~]/;

/** A text as JSON. Most texts need no escape, and JSON.stringify takes longer than to find that out. */
export function quote(text: string): string {
  return ODD.test(text) ? JSON.stringify(text) : `"${text}"`;
}
