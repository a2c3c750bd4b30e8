import type { Gate } from '../../../gate/gate.ts';
import type { CheckedFile } from '../../../reporters/report.ts';
import type { Beforehand } from '../history/beforehand.ts';
import type { StreamInput } from '../inputs/read-input.ts';
import type { BodyTargets } from '../judging/body-targets.ts';
import { judgeBody } from '../judging/judge-body.ts';
import { StreamJudge } from '../judging/stream-judge.ts';
import { linesOfStream } from './lines-of-stream.ts';
import { readLine } from './read-line.ts';

/**
 * Judges each line of JSON Lines as it comes. What exchanges show is known of the lines behind them; a request by itself shows
 * nothing, since nobody says what became of it.
 *
 * @throws PatchgateError `bad-input` with file, line and column where a line is broken, `bad-usage` where nothing says what a
 *   body is for
 */
export async function judgeRequests(
  gate: Gate,
  { name, path: file, chunks }: StreamInput,
  targets: BodyTargets,
  beforehand: Beforehand,
  onJudged?: () => void,
): Promise<CheckedFile> {
  const judge = new StreamJudge(gate, beforehand, file, onJudged);
  let index = 0;
  for await (const one of linesOfStream(chunks, name)) {
    const text = one.bytes.toString('utf8');
    const part = { text, start: { line: one.line, column: 1, lead: '' }, pointer: `/${index++}` };
    const content = readLine(one, text, name);
    if ('head' in content) judge.judge(content, part);
    else {
      const target = targets.of(file, `${name}:${one.line}`);
      judge.add(judgeBody(gate, { ...part, file, bytes: content.bytes }, target, beforehand));
    }
  }
  return judge.asFile(name, 'requests');
}
