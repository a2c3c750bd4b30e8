import type { Effect } from '../model/effect.ts';

type Mark = '-' | '-/+' | '+' | '~';

const TONES: Readonly<Record<Mark, string>> = { '-': 'bad', '-/+': 'bad', '+': 'good', '~': 'warn' };

/** What a PATCH does, as `plan` writes it: `- environment 3 "Development" will be deleted permanently`. */
export function Effects({
  effects,
  omitted = 0,
}: {
  effects: readonly Effect[];
  omitted?: number | undefined;
}) {
  return (
    <ul class="effect-lines">
      {effects.map((effect) => {
        const [mark, text] = effectLine(effect);
        return (
          <li key={text} class={TONES[mark]}>
            <span class="sign" aria-hidden="true">
              {mark}
            </span>
            {text}
          </li>
        );
      })}
      {omitted > 0 && <li>and {omitted} more</li>}
    </ul>
  );
}

export function effectLine(effect: Effect): [mark: Mark, text: string] {
  switch (effect.kind) {
    case 'environment-deleted':
      return ['-', `${environment(effect)} will be deleted permanently${doubt(effect)}${policy(effect)}`];
    case 'environment-replaced': {
      const { id, newId, likelyTypo } = effect;
      const typo = likelyTypo ? `; likely a typo: did you mean ${id}?` : '';
      const text = `${environment(effect)} will be deleted permanently, and ${newId} created in its place`;
      return ['-/+', text + typo + doubt(effect) + policy(effect)];
    }
    case 'environment-created':
      return ['+', `${environment(effect)} will be created`];
    case 'environment-renamed':
      return ['~', `${environment(effect)} will be renamed to ${quoted(effect.to)}`];
    case 'default-changed':
      return ['~', `default environment: ${idsOf(effect.from)} → ${idsOf(effect.to)}`];
    case 'language-added':
      return ['+', `language ${printable(effect.name)} will be added`];
    case 'language-removed':
      return ['-', `language ${printable(effect.name)} will be removed`];
    case 'name-changed':
      return ['~', `the project will be renamed to ${quoted(effect.to)}`];
    default:
      return ['-', `${effect.kind.replace('-removed', '')} ${printable(`${effect.id}`)} may be removed`];
  }
}

/** What is lost for good, by name: `environment 3 "Development"`. */
export function lostBy(effects: readonly Effect[]): string[] {
  return effects.flatMap((effect) =>
    effect.kind === 'environment-deleted' || effect.kind === 'environment-replaced'
      ? [environment(effect)]
      : [],
  );
}

/** `environment 2 "Staging"` */
function environment({ id, name }: { id: number; name: string }): string {
  return `environment ${id}${name === '' ? '' : ` ${quoted(name)}`}`;
}

function doubt({ possibleSince: since }: { possibleSince?: string }): string {
  return since === undefined ? '' : ` where it still exists (only possible since ${since})`;
}

function policy(effect: { allowed?: true; protected?: true; reason?: string }): string {
  const why = effect.reason === undefined ? '' : `: ${printable(effect.reason)}`;
  if (effect.protected) return ` (protected${why})`;
  return effect.allowed ? ` (allowed${why})` : '';
}

function idsOf(ids: readonly number[]): string {
  return ids.join(', ') || 'none';
}

const quoted = (name: string) => `"${printable(name)}"`;

/** A name must not turn the rest of its line around, or hide a part of it. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
