import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import type { ShownBody, ShownExchange } from '../../src/server/show-exchange.ts';
import { curlOf } from '../../src/ui/copies.ts';

/** The words that a shell makes of a command, with what it pipes into curl behind them. */
function wordsOf(command: string): string[] {
  const curl = `curl() { printf '%s\\0' "$@"; for last; do :; done; if [ "$last" = @- ]; then cat; fi; }`;
  return execFileSync('sh', ['-c', `${curl}\n${command}`], { encoding: 'utf8' }).split('\0');
}

const HOSTILE = `'; touch /tmp/hacked; echo "$(id)" \`id\` \\ $HOME`;

it.skipIf(process.platform === 'win32').each<[string, ShownBody | undefined, string]>([
  ['JSON', { json: { name: HOSTILE }, size: 1 }, JSON.stringify({ name: HOSTILE })],
  ['text', { text: `${HOSTILE}\n@file`, size: 1 }, `${HOSTILE}\n@file`],
  ['text with an escape sequence', { text: '\u001b[31m', size: 1 }, '\u001b[31m'],
  ['bytes', { base64: 'aGk=', size: 2 }, 'hi'],
  ['no body', undefined, ''],
])('a copied command sends %s as it was, and runs nothing else', (_, body, sent) => {
  const request = {
    method: 'PATCH',
    url: `/x?q=${HOSTILE}`,
    headers: { 'x-note': HOSTILE, 'x-odd': 'a\u202e' },
    body,
  };
  const command = curlOf({ request } as unknown as ShownExchange, 'http://127.0.0.1:4010');
  expect(command.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  const words = wordsOf(command);
  expect(words).toContain(`http://127.0.0.1:4010/x?q=${HOSTILE}`);
  expect(words).toContain(`x-note: ${HOSTILE}`);
  if (sent !== '') expect(words).toContain(sent);
});
