import type { JsonValue } from '../../src/json/json.ts';
import type { Finding } from '../../src/model/finding.ts';
import { draft, feature, project } from './bodies.ts';
import { shippedContract } from './gate.ts';

export const BODIES = { updateProject: project(), updateFeature: feature(), updateDraft: draft() };
export type Operation = keyof typeof BODIES;
export const operations = Object.keys(BODIES) as Operation[];

/** What the schema of an operation says of a body. */
export function check(operation: Operation, body: unknown): Finding[] {
  return shippedContract()
    .load(operation)
    .bodies[0].check(body as JsonValue);
}

/** May be of any type. */
const OPEN = /\/variables\/\d+\/(?:defaultValue|value)$|^\/integrations\/heatrecorder$/;

/** Every field of service-api section 2, with the type that it has in the bodies; of the items of a list, one. */
export const everyField = operations.flatMap((operation) => {
  const fields = new Map<string, { operation: Operation; pointer: string; type: string }>();
  const visit = (value: unknown, pointer: string) => {
    const type = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
    const place = pointer.replace(/\/\d+(?=\/|$)/g, '/N');
    if (pointer !== '' && !OPEN.test(pointer) && !fields.has(place))
      fields.set(place, { operation, pointer, type });
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) visit(inner, `${pointer}/${name}`);
  };
  visit(BODIES[operation], '');
  return [...fields.values()];
});
/** Members only: an item of a list has no name. */
export const everyName = everyField.filter(({ pointer }) => !/\/\d+$/.test(pointer));
