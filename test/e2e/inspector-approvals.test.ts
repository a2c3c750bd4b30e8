// @module-tag chromium
/** Approvals on the inspector's page: one asks, another one approves on a phone. */
import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFindings } from '../support/axe.ts';
import { useBrowser } from '../support/browser.ts';
import { type InProcess, type Settings, startGate } from '../support/in-process.ts';
import { inspectorLink, openView, scriptErrors } from '../support/inspector.ts';
import { type Answered, type Project, patch, project, startService } from '../support/service.ts';

const browser = useBrowser();
const PHONE = { viewport: { width: 375, height: 740 }, hasTouch: true };
const ANNA = 'annas-token-0123456789';

const open = (gate: InProcess, view: string, options?: BrowserContextOptions) =>
  openView(browser, gate, view, options);

async function start(settings: Record<string, unknown>) {
  const service = await startService();
  const all = project('1 Production', '2 Staging', '3 Development');
  service.projects.set('42', all);
  const gate = await startGate({ ui: 0, target: service.target.url, ...settings } as Settings);
  await fetch(`${gate.url}/api/v2/accounts/current/projects/42`);
  const fewer: Project = { ...all, environments: all.environments.slice(0, 2) };
  return { service, gate, all, fewer, send: (headers = {}) => patch(gate.url, fewer, { headers }) };
}

const PENDING = 'environment 3 "Development" will be deleted permanently';

describe('approvals', { tags: 'slow' }, () => {
  it('lets a held PATCH pass when an approver says so, on a phone and by keyboard', async () => {
    const { service, gate, send } = await start({ hold: '1m', approvers: [`anna=${ANNA}`] });
    const page = await open(gate, '#/approvals', PHONE);
    await page.getByText('Nothing waits for an approval.').waitFor();
    const list = await open(gate, '#/');
    let answered: Answered | undefined;
    const sent = send().then((answer) => {
      answered = answer;
    });
    await page.getByText(PENDING).waitFor();
    await page
      .getByRole('status')
      .getByText('1 request waits for an approval')
      .waitFor({ state: 'attached' });
    await page.getByText('Held: the client').waitFor();
    await page.getByText(/^0:\d\d left$/).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
    const approve = page.getByRole('button', { name: /^Approve…/ });
    await approve.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: /^Approve \w+\?$/ });
    expect(await dialog.innerText()).toContain('This deletes for good: environment 3 "Development".');
    // Escape leaves all as it was, the focus too.
    await page.keyboard.press('Escape');
    expect(await page.locator('button:focus').innerText()).toBe(await approve.innerText());
    await approve.click();
    await page.getByLabel('Reason').fill('Not used any more');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    // The page's own token is no approver's: it says so before, and leads there.
    const token = page.getByLabel('Your approver’s token');
    expect(await dialog.innerText()).toContain('This needs the token of an approver.');
    await token.and(page.locator(':focus')).waitFor();
    await token.fill('somebody-elses-token-1');
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await token.and(page.locator('[aria-invalid]:focus')).waitFor();
    await list.getByRole('status').getByRole('link', { name: '1 PATCH waits for a decision' }).waitFor();
    expect(answered).toBeUndefined();
    await token.fill(ANNA);
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('status').getByText('Approved:').waitFor();
    await sent;
    expect([answered?.status, service.deleted]).toEqual([200, ['42: 3 Development']]);
    await page.getByText('approved by anna, and used').waitFor();
    await page.locator('.approval h3:focus').waitFor();
    await list.getByRole('link', { name: 'waits for a decision' }).waitFor({ state: 'detached' });
    await page.getByText('Reason: Not used any more').waitFor();
    // The token is for decisions alone, and of this tab.
    await page.getByText('Decisions are made with the approver’s token').waitFor();
    await page.getByRole('button', { name: 'Forget it' }).click();
    expect(await page.evaluate('sessionStorage.getItem("patchgate.approver")')).toBeNull();
    expect(scriptErrors(browser)).toEqual([]);
  });

  it('is asked for again with its token where it is not held, and opens by its link', async () => {
    const { service, gate, send } = await start({});
    const first = await send();
    const { approve, approval } = first.json as unknown as { approve: string; approval: string };
    const page = await open(gate, `#/approvals/${approval}`);
    await page.getByRole('heading', { name: `Approval ${approval}`, level: 1 }).waitFor();
    await page.getByText('Not held: the client was answered').waitFor();
    await page.getByText('project 42 of account current').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.content()).not.toContain(approve);
    await page.getByRole('button', { name: /^Decline…/ }).click();
    await page.getByLabel('Reason').fill('Ask <b>first</b>');
    await page.getByRole('button', { name: 'Decline', exact: true }).click();
    await page.getByText('declined', { exact: true }).waitFor();
    await page.locator('.approval h2:focus').waitFor();
    expect(await page.getByText('Reason: Ask <b>first</b>').count()).toBe(1);
    expect((await send({ 'Patchgate-Approve': approve })).status).toBe(409);
    expect(service.deleted).toEqual([]);
    await page.getByRole('link', { name: 'All approvals' }).click();
    await page.getByRole('heading', { name: 'Decided (1)' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('says where another one was faster', async () => {
    const { gate, send } = await start({});
    const { approval } = (await send()).json as unknown as { approval: string };
    const [page, other] = [await open(gate, '#/approvals'), await open(gate, '#/approvals')];
    await page.getByRole('button', { name: /^Approve…/ }).click();
    await other.getByRole('button', { name: /^Decline…/ }).click();
    await other.getByRole('button', { name: 'Decline', exact: true }).click();
    await page.getByText('It is no longer pending: declined.').waitFor();
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.goto(new URL(`/#/approvals/${approval}x`, inspectorLink(gate)).href);
    await page.getByRole('alert').waitFor();
  });

  it.each([{}, { hold: '1m' }])(
    'says that it can no longer pass where its record has changed: %j',
    async (settings) => {
      const { service, gate, all, send } = await start(settings);
      const page = await open(gate, '#/approvals');
      const sent = send();
      await page.getByText(PENDING).waitFor();
      await patch(gate.url, { ...all, name: 'Other' });
      await page.getByRole('button', { name: /^Approve…/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
      await page.getByRole('dialog').getByText('the record has changed since it was asked').first().waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByText('Reason: the record has changed since it was asked').waitFor();
      expect(await page.getByText('Approved:').count()).toBe(0);
      expect([(await sent).status, service.deleted]).toEqual([409, []]);
    },
  );

  it('expires on the page as time goes by', async () => {
    const { gate, send } = await start({});
    const page = await open(gate, '#/approvals');
    await page.getByText('Nothing waits for an approval.').waitFor();
    await send();
    await page.getByRole('link', { name: 'Approvals (1)' }).waitFor();
    await page.clock.install();
    await page.clock.fastForward('10:00');
    await page.getByText('expired', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Pending (0)' }).waitFor();
  });
});
