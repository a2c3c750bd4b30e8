import type { Effect, LosingEffect } from '../model/effect.ts';
import { shortened } from '../model/short-text.ts';
import { visible } from './wording.ts';

/** An effect as a line of a plan: `-`, `red`, `environment 2 "Staging" will be deleted permanently`. Pure, for the page too. */
export function effectText(effect: Effect): [mark: string, colour: 'red' | 'green' | 'yellow', text: string] {
  switch (effect.kind) {
    case 'environment-deleted':
      return ['-', 'red', `${environment(effect)} will be deleted permanently${policyText(effect)}`];
    case 'environment-replaced': {
      const text = `${environment(effect)} will be deleted permanently, and ${effect.newId} created in its place`;
      return ['-/+', 'red', text + policyText(effect)];
    }
    case 'environment-created':
      return ['+', 'green', `${environment(effect)} will be created`];
    case 'environment-renamed':
      return ['~', 'yellow', `${environment(effect)} will be renamed to ${quoted(effect.to)}`];
    case 'default-changed':
      return ['~', 'yellow', `default environment: ${list(effect.from)} -> ${list(effect.to)}`];
    case 'language-added':
      return ['+', 'green', `language ${visible(effect.name)} will be added`];
    case 'language-removed':
      return ['-', 'red', `language ${visible(effect.name)} will be removed`];
    case 'name-changed':
      return ['~', 'yellow', `the project will be renamed to ${quoted(effect.to)}`];
  }
}

/** `environment 2 "Staging"` */
export function environment({ id, name }: { id: number; name: string }): string {
  return `environment ${id}${name === '' ? '' : ` ${quoted(name)}`}`;
}

export function quoted(name: string): string {
  return `"${visible(shortened(name, 200))}"`;
}

function policyText({ allowed, protected: isProtected }: LosingEffect): string {
  if (isProtected) return ' (protected)';
  return allowed ? ' (as --allow-delete says)' : '';
}

const list = (ids: readonly number[]) => ids.join(', ') || 'none';
