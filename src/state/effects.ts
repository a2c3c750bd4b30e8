import { type JsonObject, type JsonValue, member } from '../json/json.ts';
import type { DecideDeletion, Effect, LosingEffect } from '../model/effect.ts';
import { isSameName, plainName } from '../model/name-pattern.ts';
import { type Environment, environmentsOf, haveSameEnvironments, languagesOf } from './project.ts';

/**
 * What a PATCH of a project does to it: service-api 4.1 rules 3 to 7. An environment is known by its id alone. Losses
 * come first. A body without a list of environments keeps none of them: rule 4 has no other word for it. The one function for the
 * proxy, `check`, `plan` and the fake. Pure.
 *
 * @param known the project as far as it is known @param body whatever JSON was sent
 */
export function effectsOf(
  known: JsonObject,
  body: JsonValue,
  decide: DecideDeletion = () => 'approve',
): Effect[] {
  const others = [...languageEffects(known, body), ...nameEffects(known, body)];
  if (haveSameEnvironments(known, body)) return others;
  const [before, after] = [environmentsOf(known), environmentsOf(body)];
  const defaults = Array.isArray(member(body, 'environments')) ? defaultEffects(before, after) : [];
  return [...environmentEffects(before, after, decide), ...defaults, ...others];
}

function environmentEffects(
  known: readonly Environment[],
  sent: readonly Environment[],
  decide: DecideDeletion,
): Effect[] {
  const [before, after] = [byId(known), byId(sent)];
  const gone = [...before].filter(([id]) => !after.has(id));
  const created = [...after].filter(([id]) => !before.has(id)).map(([, [first]]) => first as Environment);
  const substitutes = substitutesFor(gone, created);
  const lost = gone.map(([id, called]): LosingEffect => {
    const name = nameOf(called);
    const more = decisionOf(called, decide);
    const other = substitutes.get(id);
    if (!other) return { kind: 'environment-deleted', id, name, ...more };
    return { kind: 'environment-replaced', id, name, newId: other.id, index: other.index, ...more };
  });
  const replacing = new Set(substitutes.values());
  const added = created.filter((one) => !replacing.has(one));
  return [
    ...lost,
    ...[...after].flatMap(([id, [sent]]) => renaming(before.get(id), sent as Environment)),
    ...added.map(({ id, name }): Effect => ({ kind: 'environment-created', id, name })),
  ];
}

/** By all names that it may have: it is allowed to go if each of them is, and protected if one is. */
function decisionOf(
  called: readonly Environment[],
  decide: DecideDeletion,
): Pick<LosingEffect, 'allowed' | 'protected'> {
  const decisions = called.map(({ name }) => decide(name));
  if (decisions.every((deletion) => deletion === 'allow')) return { allowed: true };
  return decisions.includes('protect') ? { protected: true } : {};
}

/** Of those that are gone, what is created under one of their names. */
function substitutesFor(
  gone: readonly [number, readonly Environment[]][],
  created: readonly Environment[],
): Map<number, Environment> {
  const substitutes = new Map<number, Environment>();
  const byName = new Map(created.toReversed().map((one) => [plainName(one.name), one]));
  byName.delete('');
  for (const [id, called] of gone) {
    const name = called.map((one) => plainName(one.name)).find((one) => byName.has(one)) ?? '';
    const other = byName.get(name);
    if (other) substitutes.set(id, other);
    byName.delete(name);
  }
  return substitutes;
}

function renaming(known: readonly Environment[] | undefined, sent: Environment): Effect[] {
  if (!known || sent.name === '' || known.some(({ name }) => isSameName(name, sent.name))) return [];
  return [{ kind: 'environment-renamed', id: sent.id, name: nameOf(known), to: sent.name }];
}

function defaultEffects(known: readonly Environment[], sent: readonly Environment[]): Effect[] {
  const [from, to] = [enabledIn(known), enabledIn(sent)];
  if (from.size === to.size && [...from].every((id) => to.has(id))) return [];
  return [{ kind: 'default-changed', from: [...from], to: [...to] }];
}

function enabledIn(environments: readonly Environment[]): Set<number> {
  return new Set(environments.filter(({ isEnabled }) => isEnabled).map(({ id }) => id));
}

/** A list that is missing or no list is an error of the contract; to count it as empty would only repeat that. */
function languageEffects(known: JsonObject, body: JsonValue): Effect[] {
  if (!Array.isArray(member(body, 'languages')) || !Array.isArray(member(known, 'languages'))) return [];
  const [before, after] = [languagesOf(known), languagesOf(body)];
  const effects: Effect[] = [];
  for (const name of before) if (!after.has(name)) effects.push({ kind: 'language-removed', name });
  for (const name of after) if (!before.has(name)) effects.push({ kind: 'language-added', name });
  return effects;
}

function nameEffects(known: JsonObject, body: JsonValue): Effect[] {
  const [name, to] = [member(known, 'name'), member(body, 'name')];
  if (typeof name !== 'string' || typeof to !== 'string' || name === to) return [];
  return [{ kind: 'name-changed', name, to }];
}

function byId(environments: readonly Environment[]): Map<number, Environment[]> {
  const groups = new Map<number, Environment[]>();
  for (const one of environments) {
    const group = groups.get(one.id);
    if (group) group.push(one);
    else groups.set(one.id, [one]);
  }
  return groups;
}

/** The last of its names that can be read. */
function nameOf(called: readonly Environment[]): string {
  return called.findLast(({ name }) => name !== '')?.name ?? '';
}
