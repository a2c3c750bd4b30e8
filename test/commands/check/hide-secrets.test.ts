import { describe, expect, it } from 'vitest';
import { hideSecrets } from '../../../src/commands/check/hide-secrets.ts';
import { redactionOf } from '../../../src/recordings/redact/redaction.ts';
import type { CheckedFile, PlacedFinding } from '../../../src/reporters/report.ts';

const redaction = redactionOf({ redact: ['/environments/*/note'] });
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

function file(finding: Partial<PlacedFinding>, path = '/api/v2/accounts/current/projects/42'): CheckedFile {
  const plain = { rule: 'schema.type', severity: 'error', basis: 'stated', pointer: '/name' } as const;
  const findings = [{ ...plain, message: '/name must be a string', ...finding }];
  const subject = { pointer: '', method: 'PATCH', path, outcome: 'block', findings, omitted: 0 } as const;
  return { file: 'x.json', kind: 'body', subjects: [subject], unjudged: 0 };
}

function shown(finding: Partial<PlacedFinding>): PlacedFinding {
  return hideSecrets([file(finding)], redaction)[0]?.subjects[0]?.findings[0] as PlacedFinding;
}

/** The line that is shown, with `^` before the place. */
function marked(text: string, at: number): string {
  const { excerpt } = shown({ excerpt: { text, caret: at } });
  return `${excerpt?.text.slice(0, excerpt.caret)}^${excerpt?.text.slice(excerpt.caret)}`;
}

describe('what is told of a file', () => {
  it('quotes no secret in a message, a hint, a path', () => {
    expect(shown({ message: `/name must not be "${TOKEN}"`, hint: `not ${TOKEN}` })).toMatchObject({
      message: '/name must not be "[redacted]"',
      hint: 'not [redacted]',
    });
    expect(shown({ pointer: '/token', message: '/token must be a number, not "abc"' }).message).toBe(
      '/token is not as it must be; it holds a secret',
    );
    expect(shown({ pointer: '/environments/0/note', message: 'must not be "abc"' }).message).not.toContain(
      'abc',
    );
    const [{ subjects } = { subjects: [] }] = hideSecrets(
      [file({}, `/accounts/${TOKEN}/projects/1`)],
      redaction,
    );
    expect(subjects[0]?.path).toBe('/accounts/[redacted:4a15b04cb7d2]/projects/1');
  });

  it('shows the line without them, with the place where it was', () => {
    const text = '{"token": "abcdef", "name": 1, "password": "xyz"}';
    expect(marked(text, text.indexOf('1'))).toBe(
      '{"token": "[redacted]", "name": ^1, "password": "[redacted]"}',
    );
    expect(marked(text, text.indexOf('"abc'))).toContain('^"[redacted]"');
  });

  it('shows no more of a line than fits a screen', () => {
    expect(marked(`…${'a'.repeat(299)}"b": 1${'c'.repeat(300)}…`, 300)).toBe(`…^"b": 1${'c'.repeat(94)}…`);
    expect(marked(`${'a'.repeat(40)} 1`, 41)).toBe(`${'a'.repeat(40)} ^1`);
    expect(marked(`"${'a'.repeat(90)}": 1${'c'.repeat(90)}`, 94)).toBe(
      `…${'a'.repeat(47)}": ^1${'c'.repeat(49)}…`,
    );
  });

  it('knows a secret by the name that is too far away to be shown', () => {
    const text = `{"token": "${'s'.repeat(120)}", "name": 1}`;
    expect(marked(text, text.indexOf('1'))).toBe('{"token": "[redacted]", "name": ^1}');
  });
});
