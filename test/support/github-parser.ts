import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './binary.ts';
import { temporaryFolder } from './temporary-folder.ts';

interface GithubParser {
  /** What it has against the text of an action.yml. */
  actionErrors(text: string): string[];
  /** What it has against the text of a workflow. */
  workflowErrors(text: string): string[];
}

/** GitHub's own parser of actions and workflows. What it finds is in its words. */
export async function loadGithubParser(): Promise<GithubParser> {
  // The package imports JSON as only bundlers do.
  const outfile = join(temporaryFolder(), 'github-parser.cjs');
  await build({
    stdin: {
      contents: `
        export { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
        export { parseAction } from '@actions/workflow-parser/actions/action-parser';`,
      resolveDir: ROOT,
    },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    outfile,
  });
  const { parseAction, parseWorkflow, NoOperationTraceWriter } = createRequire(import.meta.url)(outfile);
  const errorsOf = (parse: typeof parseAction) => (content: string) =>
    parse({ name: 'file.yml', content }, new NoOperationTraceWriter())
      .context.errors.getErrors()
      .map(({ message }: Error) => message);
  return { actionErrors: errorsOf(parseAction), workflowErrors: errorsOf(parseWorkflow) };
}
