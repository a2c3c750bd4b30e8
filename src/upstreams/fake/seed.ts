import { readFile } from 'node:fs/promises';
import { readContractFiles } from '../../contract/contract-files.ts';
import { PatchgateError, whyUnreadable } from '../../errors.ts';
import type { JsonObject } from '../../json/json.ts';
import type { ContractFile } from '../../model/contract.ts';
import { checkFile, parseFile } from '../../schemas/check.ts';
import { DEFAULT_CONTRACT } from '../../settings/config.ts';

/** What a service holds at first, by account (`current` or a workspace's id), kind and id. */
export interface State {
  accounts: Record<string, Partial<Record<Collection, Record<string, JsonObject>>>>;
}

type Collection = 'projects' | 'features' | 'drafts';
type Project = { name: string; languages: string[]; environments: JsonObject[] };

/** The records of a state, by the ends of their paths: `current/projects/42`. */
export function recordsOf({ accounts }: State): Map<string, JsonObject> {
  const records = new Map<string, JsonObject>();
  for (const [account, collections] of Object.entries(accounts))
    for (const [collection, held] of Object.entries(collections))
      for (const [id, record] of Object.entries(held)) records.set(`${account}/${collection}/${id}`, record);
  return records;
}

/** What the fake holds without a seed: the contract's examples, one environment more, and the same for an integer account id. */
export function sampleState() {
  const { contractText } = readContractFiles(DEFAULT_CONTRACT);
  const { updateProject, updateFeature, updateDraft } = (JSON.parse(contractText) as ContractFile).operations;
  const project = updateProject?.example?.body as Project;
  project.environments.push({ id: 3, name: 'Development', isEnabled: false });
  const records = {
    projects: { 42: project },
    features: { 7: updateFeature?.example?.body as JsonObject },
    drafts: { 1001: updateDraft?.example?.body as JsonObject },
  };
  return { accounts: { current: records, 196: records } } satisfies State;
}

/**
 * Reads a seed's text. What the records hold is left open: a test may need a record that the service never had.
 *
 * @param where its name, for the message
 * @throws PatchgateError `bad-input` with file, line and column, if it is no JSON or has another shape
 */
export function readState(text: string, where: string): State {
  const content = parseFile({ where, text }, 'bad-input');
  checkFile('state', content, { where, text }, 'bad-input');
  return content as unknown as State;
}

/** @throws PatchgateError `bad-input` if the file cannot be read, or is no seed */
export async function loadSeed(file: string): Promise<State> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new PatchgateError('bad-input', `cannot read the seed ${file}: ${whyUnreadable(cause)}`, {
      hint: 'check the path given with --seed, or leave it out to use the built-in sample',
      cause,
    });
  });
  return readState(text, file);
}
