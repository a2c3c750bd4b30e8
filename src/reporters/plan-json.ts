import { findingOf } from './json.ts';
import type { Plan } from './plan.ts';

/**
 * For programs:
 *
 * ```
 * { "known": true,                                     false: nothing or not all is known of the project
 *   "effects": [                                       what is lost first
 *     { "kind": "environment-deleted", "id": 2, "name": "Staging" }, … ],
 *   "corrected": { … },                                the body that loses no environment; only where one would be lost
 *   "findings": [ { "rule": "schema.required", … } ]   why the gate would block it in any case, as in `check`; only where it would
 * }
 * ```
 */
export function planJson({ known, effects, corrected, findings }: Plan): string {
  const plan = {
    known: known === 'whole',
    effects,
    ...(corrected && { corrected }),
    ...(findings.length > 0 && { findings: findings.map(findingOf) }),
  };
  return `${JSON.stringify(plan, null, 2)}\n`;
}
