import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PatchgateError, whyUnreadable } from '../errors.ts';

/** @param location contract.json, or the folder that holds it. @throws PatchgateError `bad-contract` if a file cannot be read */
export function readContractFiles(location: string) {
  const file = isFolder(location) ? join(location, 'contract.json') : location;
  const contractText = readText(file);
  const isSchema = (name: string) => name.endsWith('.json') && name !== basename(file);
  const names = readdirSync(dirname(file)).filter(isSchema).sort();
  const schemaTexts = new Map(names.map((name) => [name, readText(join(dirname(file), name))]));
  return { file, contractText, schemaTexts };
}

/** The text of an OpenAPI document; undefined if a contract stands there, or nothing. */
export function openApiText(location: string): string | undefined {
  if (isFolder(location) || !existsSync(location)) return undefined;
  const text = readText(location);
  const isDocument = /\.ya?ml$/i.test(location) || /^\s*\{[^{}[\]]*"(?:openapi|swagger)"\s*:/.test(text);
  return isDocument ? text : undefined;
}

/** By which compiled validators are known to be those of a contract. */
export function digestOf({ contractText, schemaTexts }: ReturnType<typeof readContractFiles>): string {
  return hash('sha256', JSON.stringify([contractText, ...schemaTexts]));
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const hint = '--contract names a folder with contract.json and its schemas';
    const message = `cannot read the contract ${file}: ${whyUnreadable(cause)}`;
    throw new PatchgateError('bad-contract', message, { hint, cause });
  }
}

const isFolder = (location: string) => existsSync(location) && statSync(location).isDirectory();
