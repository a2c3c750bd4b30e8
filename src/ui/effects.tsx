import { type Effect, losesEnvironment } from '../model/effect.ts';
import { effectText, environment } from '../reporters/effect-text.ts';

const TONES = { red: 'bad', green: 'good', yellow: 'warn' } as const;

/** What a PATCH does, as `plan` writes it: `- environment 3 "Development" will be deleted permanently`. */
export function Effects({
  effects,
  omitted = 0,
}: {
  effects: readonly Effect[];
  omitted?: number | undefined;
}) {
  return (
    <ul class="effects">
      {effects.map((effect, i) => {
        const [mark, colour, text] = effectText(effect);
        return (
          <li key={i} class={TONES[colour]}>
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

/** What is lost for good, by name: `environment 3 "Development"`. */
export function lostBy(effects: readonly Effect[]): string[] {
  return effects.filter(losesEnvironment).map(environment);
}
