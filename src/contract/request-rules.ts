import type { Finding, RuleInfo } from '../model/finding.ts';

/** What reading a request can find: docs/reference/rules.md. */
const TABLE = {
  'request.path-parameter': [
    'request',
    422,
    'stated',
    'an id in the path does not have the form that the description gives',
    'service-api 4',
  ],
  'request.ambiguous-path': [
    'request',
    400,
    'protocol',
    'the path can be read in more than one way',
    'RFC 3986 6.2',
  ],
  'request.ambiguous-header': [
    'request',
    400,
    'protocol',
    'a header gives the request a second meaning',
    'RFC 9110 5.3',
  ],
  'request.too-large': ['size', 413, 'protocol', 'the body exceeds a limit', 'RFC 9110 15.5.14'],
  'request.content-encoding': [
    'media-type',
    415,
    'protocol',
    'the content coding cannot be undone',
    'RFC 9110 8.4',
  ],
  'request.content-type': [
    'media-type',
    415,
    'protocol',
    'the body is not declared as JSON in UTF-8',
    'RFC 9110 8.3',
  ],
  'request.json': ['json', 400, 'protocol', 'the body is not one JSON document in valid UTF-8', 'RFC 8259'],
  'request.duplicate-key': ['contract', 422, 'protocol', 'an object has a name twice', 'RFC 8259 4'],
  'request.unsafe-number': [
    'contract',
    422,
    'protocol',
    'not every reader gets the same number',
    'RFC 8259 6',
  ],
  'request.unsafe-key': ['contract', 422, 'protocol', 'a name reaches into prototypes', 'ECMA-262 B.2.2.1'],
  'request.approval': [
    'guard',
    409,
    'protocol',
    'an approval is for another request, or was used before',
    'Patchgate',
  ],
} as const satisfies Record<string, readonly [RuleInfo['stage'], number, RuleInfo['basis'], string, string]>;

export type RequestRule = keyof typeof TABLE;

export const REQUEST_RULES: Readonly<Record<RequestRule, RuleInfo>> = Object.fromEntries(
  Object.entries(TABLE).map(([name, [stage, status, basis, says, source]]) => [
    name,
    {
      name,
      stage,
      status,
      basis,
      says,
      source,
      severity: 'error',
    },
  ]),
) as Record<RequestRule, RuleInfo>;

/** A finding of the request itself, or of a place in its body. */
export function requestFinding(
  rule: RequestRule,
  message: string,
  more: Partial<Pick<Finding, 'pointer' | 'hint' | 'line' | 'column' | 'severity' | 'source'>> = {},
): Finding {
  const { basis, source } = REQUEST_RULES[rule];
  return { rule, severity: 'error', basis, pointer: '', message, source, ...more };
}
