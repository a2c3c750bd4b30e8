/** What an orchestrator and Prometheus ask a gate in front of a service. */
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BAD_PROJECT } from '../support/e2e-bodies.ts';
import { exchange } from '../support/exchanges.ts';
import { startGate, startRecorder, startReplay } from '../support/in-process.ts';
import { sendRaw } from '../support/raw.ts';
import { recordAll } from '../support/recordings.ts';
import { patch, project, startService } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TOKEN = 'f00dcafe-f00dcafe-f00d';
const BOTH = project('1 Production', '2 Staging');
const ONE = project('1 Production');

async function metricsOf(url: string, headers = {}): Promise<string> {
  const answer = await fetch(url, { headers });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return answer.text();
}

/** Of a gate's own, without those of the process and of times. */
async function numbersOf(gate: { url: string }): Promise<Record<string, number>> {
  const lines = (await metricsOf(`${gate.url}/__patchgate/metrics`)).split('\n');
  const numbers = lines.filter((line) => /^patchgate_(?!info|.*_seconds_(?:bucket|sum))/.test(line));
  return Object.fromEntries(
    numbers.map((line) => [line.slice(10, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

async function statusOf(url: string): Promise<number> {
  const answer = await fetch(url);
  await answer.arrayBuffer();
  return answer.status;
}

describe('metrics', () => {
  it('tell what went by, was found, deleted, approved and recorded', async () => {
    const service = await startService();
    const gate = await startRecorder(temporaryFolder(), service.target.url);
    await patch(gate.url, BAD_PROJECT);
    await patch(gate.url, BOTH);
    const { json } = await patch(gate.url, ONE);
    await patch(gate.url, ONE, { headers: { 'Patchgate-Approve': json.approve as string } });
    await fetch(`${gate.url}/api/v2/other?token=secret-1`);
    await fetch(`${gate.url}/__patchgate/health`);
    await sendRaw(gate.port, 'no request\r\n\r\n');
    expect(await numbersOf(gate)).toMatchObject({
      'requests_total{operation="updateProject",verdict="pass",status="200"}': 2,
      'requests_total{operation="updateProject",verdict="block",status="422"}': 1,
      'requests_total{operation="updateProject",verdict="block",status="409"}': 1,
      'requests_total{operation="none",verdict="none",status="404"}': 1,
      'requests_total{operation="none",verdict="none",status="400"}': 1,
      'findings_total{rule="schema.required",severity="error"}': 2,
      'findings_total{rule="project.environment-deleted",severity="error"}': 1,
      'effects_total{effect="environment-deleted",verdict="block"}': 1,
      'effects_total{effect="environment-deleted",verdict="pass"}': 1,
      'approvals_total{event="given"}': 1,
      'approvals_total{event="used"}': 1,
      gate_seconds_count: 6,
      target_seconds_count: 3,
      exchanges_recorded_total: 3,
      exchanges_waiting: 0,
      exchanges_lost_total: 0,
    });
    const text = await metricsOf(`${gate.url}/__patchgate/metrics`);
    expect(text).not.toMatch(/accounts|projects|secret-1|Staging/);
  });

  it('tell of exchanges that the disk does not take, while the gate is not ready', async () => {
    const target = await startTarget();
    const cwd = temporaryFolder();
    const gate = await startRecorder(cwd, target.url);
    const root = join(cwd, 'recordings', 'default');
    const inTheWay = [join(root, '.patchgate', 'journal.1'), join(root, 'a', 'GET.json')];
    for (const folder of inTheWay) mkdirSync(folder, { recursive: true });
    await fetch(`${gate.url}/a`);
    expect(await numbersOf(gate)).toMatchObject({ exchanges_waiting: 1, exchanges_recorded_total: 0 });
    expect(await statusOf(`${gate.url}/__patchgate/health/ready`)).toBe(503);
    for (const folder of inTheWay) rmdirSync(folder);
    await expect
      .poll(() => numbersOf(gate))
      .toMatchObject({ exchanges_waiting: 0, exchanges_recorded_total: 1 });
    expect(await statusOf(`${gate.url}/__patchgate/health/ready`)).toBe(200);
  });

  it('tell of misses of a replay, and nothing of recording', async () => {
    const cwd = temporaryFolder();
    await recordAll(join(cwd, 'recordings'), 'default', [exchange()]);
    const gate = await startReplay(cwd);
    await fetch(`${gate.url}/a`, { headers: { 'Patchgate-Session': 'one' } });
    await fetch(`${gate.url}/b`);
    const numbers = await numbersOf(gate);
    expect(numbers).toMatchObject({ misses_total: 2, target_seconds_count: 0 });
    expect(numbers).not.toHaveProperty('exchanges_recorded_total');
  });
});

describe('health in two parts', () => {
  it('is for everybody, and says no more than yes or no', async () => {
    const target = await startTarget();
    for (const controlToken of [undefined, TOKEN]) {
      const gate = await startGate({ target: target.url, host: '0.0.0.0', controlToken });
      for (const part of ['live', 'ready']) {
        const answer = await sendRaw(gate.port, {
          path: `/__patchgate/health/${part}`,
          headers: [['Host', '10.0.0.1']],
        });
        expect([answer.status, String(answer.body)]).toEqual([200, '{"status":"ok"}']);
      }
      expect((await sendRaw(gate.port, { path: '/__patchgate/health' })).status).not.toBe(200);
    }
    expect(target.received).toEqual([]);
  });
});
