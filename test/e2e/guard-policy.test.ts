/** What is protected or may go, in front of a service that really deletes. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/settings/config.ts';
import { laterRefusal } from '../support/errors.ts';
import { startGate } from '../support/in-process.ts';
import { patch, project, type Service, startService } from '../support/service.ts';

let service: Service;
beforeEach(async () => {
  service = await startService();
  service.projects.set('42', ALL);
});

const start = (settings: Partial<Config>) => startGate({ target: service.target.url, ...settings });
const approved = (approve: string) => ({ headers: { 'Patchgate-Approve': approve } });

const ALL = project('1 Production', '2 Staging', '3 e2e-1');
const WITHOUT_PRODUCTION = project('2 Staging', '3 e2e-1');
const WITHOUT_STAGING = project('1 Production', '3 e2e-1');

describe('what is protected', () => {
  it('gets no token, and none lets it go that was given for less', async () => {
    const { url } = await start({ protect: ['Prod*'], readState: true });
    const asked = await patch(url, WITHOUT_STAGING);
    const blocked = await patch(url, WITHOUT_PRODUCTION);
    expect(blocked.status).toBe(409);
    expect(blocked.json).toMatchObject({
      hint: 'send `corrected` to keep them',
      corrected: { name: ALL.name },
    });
    expect(blocked.json).not.toHaveProperty('approve');
    expect((await patch(url, WITHOUT_PRODUCTION, approved(asked.json.approve as string))).status).toBe(409);
    expect(service.deleted).toEqual([]);
    expect((await patch(url, WITHOUT_STAGING, approved(asked.json.approve as string))).status).toBe(200);
    expect(service.deleted).toEqual(['42: 2 Staging']);
  });

  it('stays where nothing is known of the project, until it has been read', async () => {
    const { url } = await start({ protect: ['*'] });
    expect((await patch(url, ALL)).json).toMatchObject({
      status: 409,
      hint: 'no approval lets it pass',
      findings: [{ rule: 'project.state-unknown', severity: 'error' }],
    });
    await fetch(`${url}/api/v2/accounts/current/projects/42`);
    expect((await patch(url, ALL)).status).toBe(200);
  });
});

it('what is protected needs the guard', async () => {
  expect(await laterRefusal('bad-usage', start({ protect: ['Production'], guard: 'off' }))).toContain(
    '--no-guard',
  );
});

it('what is allowed goes without asking', async () => {
  const { url } = await start({ allowDelete: ['e2e-*'] });
  await patch(url, ALL);
  expect((await patch(url, project('1 Production', '2 Staging'))).status).toBe(200);
  expect(service.deleted).toEqual(['42: 3 e2e-1']);
});
