import type { Finding, RuleInfo } from '../model/finding.ts';

/** Findings of reading a request: docs/reference/rules.md. Stage, status, fault, source. */
const TABLE = {
  'request.path-parameter': ['request', 422, 'an id in the path does not have its form', 'service-api 4'],
  'request.ambiguous-path': ['request', 400, 'the path can be read in more than one way', 'RFC 3986 6.2'],
  'request.ambiguous-header': ['request', 400, 'a header gives a second meaning', 'RFC 9110 5.3'],
  'request.too-large': ['size', 413, 'the body exceeds a limit', 'RFC 9110 15.5.14'],
  'request.content-encoding': ['media-type', 415, 'the content coding cannot be undone', 'RFC 9110 8.4'],
  'request.content-type': ['media-type', 415, 'the body is not declared as JSON in UTF-8', 'RFC 9110 8.3'],
  'request.json': ['json', 400, 'the body is not one JSON document in valid UTF-8', 'RFC 8259'],
  'request.duplicate-key': ['contract', 422, 'an object has a name twice', 'RFC 8259 4'],
  'request.unsafe-number': ['contract', 422, 'not every reader gets the same number', 'RFC 8259 6'],
  'request.unsafe-key': ['contract', 422, 'a name reaches into prototypes', 'ECMA-262 B.2.2.1'],
  'request.approval': ['guard', 409, 'an approval is for another request, or was used before', 'Patchgate'],
} as const satisfies Record<string, readonly [RuleInfo['stage'], number, string, string]>;

export type RequestRule = keyof typeof TABLE;

export const REQUEST_RULES = Object.fromEntries(
  Object.entries(TABLE).map(([name, [stage, status, says, source]]) => {
    const basis = name === 'request.path-parameter' ? 'stated' : 'protocol';
    return [name, { name, stage, status, basis, says, source, severity: 'error' }];
  }),
) as Readonly<Record<RequestRule, RuleInfo>>;

/** A finding of the request itself, or of a place in its body. */
export function requestFinding(
  rule: RequestRule,
  message: string,
  more: Partial<Pick<Finding, 'pointer' | 'hint' | 'basis' | 'line' | 'column' | 'severity' | 'source'>> = {},
): Finding {
  const { basis, source } = REQUEST_RULES[rule];
  return { rule, severity: 'error', basis, pointer: '', message, source, ...more };
}
