import { join } from 'node:path';
import { amount } from '../../reporters/wording.ts';

/** What an import has done. */
export interface Imported {
  exchanges: number;
  entries: number;
  /** How many entries for each reason. */
  skipped: Map<string, number>;
  /** Of what was imported, sorted. */
  origins: string[];
}

/** The same for people. */
export function importedText(imported: Imported, name: string, folder: string): string {
  const { exchanges, entries, skipped, origins } = imported;
  const lines = [
    `imported ${amount(exchanges, 'exchange')} of ${entries} entries into ${join(folder, name)}`,
  ];
  if (skipped.size > 0) lines.push(`skipped: ${skippedText(skipped)}`);
  if (origins.length > 1) {
    const some = origins.slice(0, 5).join(', ') + (origins.length > 5 ? ', …' : '');
    lines.push(`they are of ${origins.length} hosts, which a recording does not tell apart: ${some}`);
    lines.push(`  --only ${origins[0]}/ takes those of one host`);
  }
  return `${lines.join('\n')}\n`;
}

/** `3 WebSocket, 2 no response` */
export function skippedText(skipped: ReadonlyMap<string, number>): string {
  return [...skipped]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}
