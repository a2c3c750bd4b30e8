import type { PatchgateError } from '../errors.ts';
import { problemOfError } from './problem.ts';

/** A whole answer, written by hand: where Node has handed over the bare socket, there is no response object any more. */
export function problemText(error: PatchgateError): string {
  const { status, headers, body } = problemOfError(error);
  let text = `HTTP/1.1 ${status} ${error.code}\r\nConnection: close\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return `${text}\r\n${body}`;
}
