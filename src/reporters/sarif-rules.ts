import type { Basis } from '../model/finding.ts';
import type { Report, RuleFacts } from './report.ts';
import { printable, shortened } from './wording.ts';

/** SARIF's words for severities. */
export const LEVELS = { error: 'error', warn: 'warning', note: 'note' } as const;

/** SARIF takes braces for what is to be put in, unless they are doubled, and `[a](1)` for a link. */
export function message(text: string, hint?: string) {
  const whole = hint === undefined ? printable(text) : `${printable(text)}\nHint: ${printable(hint)}`;
  return { text: whole.replace(/[{}]/g, '$&$&').replace(/\[(?=[^\]]*\]\()/g, '\\[') };
}

const BECAUSE: Readonly<Record<Basis, string>> = {
  stated: "the service's description says it",
  inferred: "it follows from what the service's description says",
  observed: "the samples in the service's description are like that, and no other value was seen",
  protocol: 'the standards of HTTP, JSON and URLs say it',
  recorded: 'it was so when it was recorded',
};

/** The rules that were asked, and behind them those of which a finding alone tells. */
export function sarifRules(report: Report) {
  const facts = new Map((report.rules ?? []).map((rule) => [rule.name, rule]));
  for (const { subjects } of report.files) {
    for (const { rule: name, severity, basis, source = '' } of subjects.flatMap(({ findings }) => findings)) {
      if (!facts.has(name))
        facts.set(name, { name, severity, basis, source, says: `the contract's ${name} holds` });
    }
  }
  return [...facts.values()].map(ruleOf);
}

/** Of what a rule says, and of its source: GitHub takes 1,024 of a description. */
const MOST_CHARACTERS = 400;

function ruleOf({ name, severity, basis, says, source }: RuleFacts) {
  const sentence = `${says.slice(0, 1).toUpperCase()}${shortened(says.slice(1), MOST_CHARACTERS)}.`;
  const why = `Basis: ${basis}, ${BECAUSE[basis]}${source === '' ? '' : ` (${shortened(source, MOST_CHARACTERS)})`}.`;
  const todo =
    basis === 'recorded'
      ? 'Take the live answers into the recording (--update), or mend the service.'
      : 'Correct the request as the finding says.';
  return {
    id: name,
    shortDescription: { text: sentence },
    fullDescription: { text: `${sentence} ${why}` },
    help: {
      text: `${sentence}\n${why}\n${todo}`,
      markdown: `**${markdown(name)}**: ${markdown(sentence)}\n\n${markdown(why)}\n\n${todo}`,
    },
    defaultConfiguration: severity === 'off' ? { enabled: false } : { level: LEVELS[severity] },
    properties: { tags: [name.replace(/\..*/s, ''), basis] },
  };
}

/** A text in which Markdown finds nothing of its own. */
export function markdown(text: string): string {
  return text.replace(/[\\`*_[\]<>|#&~$]/g, '\\$&').replace(/\s+/g, ' ');
}
