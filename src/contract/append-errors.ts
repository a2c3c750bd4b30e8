/**
 * Ajv's generated code copies all errors so far for each list of further ones: a hostile body of many wrong items costs
 * its square. Changed here to append them instead, to a list of the function's own: each of the others is kept by the
 * function that made it until its next call.
 *
 * @param code of a validating function, as Ajv's option `code.process` gives it
 */
export function appendErrors(code: string): string {
  return code.replace(
    /vErrors = vErrors === null \? ([\w.]+)\.errors : vErrors\.concat\(\1\.errors\);/g,
    '{ if (vErrors === null) vErrors = $1.errors.slice(); else for (const error of $1.errors) vErrors.push(error); }',
  );
}
