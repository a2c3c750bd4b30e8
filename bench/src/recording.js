import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bodyOf, pathOf, projectOf } from './traffic.js';

/** Writes a recording of exchanges number 0, 1, 2 and so on, in the format that the recorder leaves. */
export function writeRecording(recordings, { exchanges, paths }) {
  const projects = new Map();
  for (let index = 0; index < exchanges; index++) {
    const project = projectOf(index, paths);
    if (!projects.has(project)) projects.set(project, []);
    projects.get(project).push(index);
  }
  for (const [project, indexes] of projects) {
    const folder = join(recordings, 'default', pathOf(project));
    mkdirSync(folder, { recursive: true });
    const content = { formatVersion: 1, exchanges: indexes.map((index) => exchangeOf(index, project)) };
    writeFileSync(join(folder, 'PATCH.json'), `${JSON.stringify(content, null, 2)}\n`);
  }
}

function exchangeOf(index, project) {
  const headers = { 'content-type': 'application/json' };
  const body = { json: JSON.parse(bodyOf(index)) };
  return {
    request: {
      method: 'PATCH',
      path: pathOf(project),
      query: '',
      headers: { accept: 'application/json', ...headers },
      body,
    },
    response: { status: 200, headers, body },
    meta: { recordedAt: new Date(Date.UTC(2026, 0, 1) + index).toISOString(), durationMs: 1 },
  };
}
