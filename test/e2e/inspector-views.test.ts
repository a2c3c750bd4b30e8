/** The inspector's views beside the exchanges, in a browser and before a real gate. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFindings } from '../support/axe.ts';
import { useBrowser } from '../support/browser.ts';
import { PROJECT_URL } from '../support/gate.ts';
import { type InProcess, startGate, startRecorder, startReplay } from '../support/in-process.ts';
import { openView, scriptErrors } from '../support/inspector.ts';
import { type Project, project, type Service, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const browser = useBrowser();
const PHONE = { viewport: { width: 375, height: 740 } };

const open = (gate: InProcess, view: string, options?: BrowserContextOptions) =>
  openView(browser, gate, view, options);

async function startShop(): Promise<Service> {
  const service = await startService();
  service.projects.set('42', project('1 Production', '2 Staging', '3 Development'));
  return service;
}

function patch(gate: InProcess, body: unknown, headers: Record<string, string> = {}) {
  return fetch(gate.url + PROJECT_URL, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const shop = (service: Service) => service.projects.get('42') as Project;

/** Cells of a table, a line for each row. */
async function rowsOf(page: Page, name?: string): Promise<string[]> {
  const table = name === undefined ? page.getByRole('table').first() : page.getByRole('table', { name });
  const rows = await table.locator('tbody tr').all();
  return Promise.all(
    rows.map(async (row) => (await row.locator('th, td').allInnerTexts()).join(' | ').replace(/\s+/g, ' ')),
  );
}

describe('known records', { tags: 'slow' }, () => {
  it('are shown with their age and source, and forgotten', async () => {
    const state = join(temporaryFolder(), 'state.json');
    const stored = { name: 'Old', languages: [], environments: [{ id: 9, name: 'Beta', isEnabled: true }] };
    const projects = { 7: { ...stored, incomplete: true } };
    writeFileSync(state, JSON.stringify({ paths: { '/api/v2': { current: { projects } } } }));
    const service = await startShop();
    const gate = await startGate({ ui: 0, target: service.target.url, state });
    await fetch(gate.url + PROJECT_URL);
    const page = await open(gate, '#/state');
    await page.getByText('project 42').first().waitFor();
    const rows = (await rowsOf(page, 'Known records')).map((row) => row.replace(/\d+ s ago/, 'now'));
    expect(rows.sort()).toEqual([
      'project 42 "Checkout" | current below /api/v2 | environment 1 "Production", enabled environment 2 "Staging" environment 3 "Development" NODEJS | now | Forget… project 42 "Checkout"',
      'project 7 "Old" | current below /api/v2 | Incomplete: the service may hold more. environment 9 "Beta", enabled | before this run (state file) | Forget… project 7 "Old"',
    ]);
    // By keyboard: it asks, names what is lost, and nothing happens before it is said.
    const forget = page.getByRole('button', { name: 'Forget… project 7' });
    await forget.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Forget project 7 "Old"?' });
    expect(await dialog.innerText()).toContain('environment 9 "Beta"');
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.locator('button:focus').innerText()).toBe(await forget.innerText());
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Forget it' }).click();
    await page.getByRole('status').getByText('Forgotten: project 7').waitFor();
    // The button is gone: who uses keys goes on at the heading.
    await page.locator('h1:focus').waitFor();
    await forget.waitFor({ state: 'detached' });
    expect(await rowsOf(page, 'Known records')).toHaveLength(1);
    expect(scriptErrors(browser)).toEqual([]);
  });

  it('are no list where they depend on the session', async () => {
    const page = await open(await startGate({ ui: 0 }, 'fake'), '#/state');
    await page.getByText('What is known depends on the session here.').waitFor();
    expect(browser.errors).toEqual([]);
  });
});

async function startReplayed(): Promise<InProcess> {
  const folder = temporaryFolder();
  const service = await startShop();
  const recorder = await startRecorder(folder, service.target.url);
  for (const id of [42, 43, 44]) {
    service.projects.set(`${id}`, shop(service));
    await fetch(recorder.url + PROJECT_URL.replace('42', `${id}`));
  }
  await recorder.gate.close();
  return startReplay(folder, { ui: 0 });
}

describe('sessions', { tags: 'slow' }, () => {
  it('are shown with what each was served, and ended', async () => {
    const gate = await startReplayed();
    await fetch(gate.url + PROJECT_URL);
    for (const id of [42, 43])
      await fetch(gate.url + PROJECT_URL.replace('42', `${id}`), {
        headers: { 'Patchgate-Session': 'tests' },
      });
    const page = await open(gate, '#/sessions');
    const served = page.getByRole('button', { name: 'Show what tests was served' });
    await served.waitFor();
    const rows = await rowsOf(page, 'Sessions in use');
    expect(rows.map((row) => row.split(' | ').slice(0, 2))).toEqual([
      ['default session', '1'],
      ['tests', '2'],
    ]);
    await served.click();
    await page.getByRole('heading', { name: 'Served to tests' }).waitFor();
    await page.getByRole('rowheader', { name: `GET ${PROJECT_URL.replace('42', '43')}` }).waitFor();
    await page.getByRole('button', { name: 'Show what default session was served' }).click();
    await page.getByRole('heading', { name: 'Served to default session' }).waitFor();
    await page.getByRole('rowheader', { name: `GET ${PROJECT_URL}` }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'End… tests' }).click();
    await page.getByRole('button', { name: 'End it' }).click();
    await page.getByText('Ended: tests').waitFor();
    await served.waitFor({ state: 'detached' });
    expect(await rowsOf(page, 'Sessions in use')).toHaveLength(1);
    expect(scriptErrors(browser)).toEqual([]);
  });
});

describe('the recording', { tags: 'slow' }, () => {
  it('is shown with what was missed, linked, and what was never served', async () => {
    const gate = await startReplayed();
    await fetch(gate.url + PROJECT_URL);
    for (let time = 0; time < 2; time++) await fetch(`${gate.url}/api/v2/unknown?${'x'.repeat(200)}`);
    const page = await open(gate, '#/recording', PHONE);
    await page.getByRole('heading', { name: 'Misses (2)' }).waitFor();
    await page.getByRole('heading', { name: 'Never served (2 of 3)' }).waitFor();
    expect(await page.getByText('GET /api/v2/accounts/current/projects/44').count()).toBe(1);
    expect(await axeFindings(page)).toEqual([]);
    expect(await widthTooMuch(page)).toBe(0);
    await page.getByRole('link', { name: 'Exchange 3' }).click();
    await page.getByRole('heading', { name: 'Exchange 3' }).waitFor();
    expect(scriptErrors(browser)).toEqual([]);
  });

  it('is counted while it is made', async () => {
    const service = await startShop();
    const recorder = await startRecorder(temporaryFolder(), service.target.url, { ui: 0 });
    const page = await open(recorder, '#/recording');
    await page.getByText('Recorded in this run0').waitFor();
    await fetch(recorder.url + PROJECT_URL);
    await page.getByText('Recorded in this run1').waitFor();
  });

  it('may be none', async () => {
    const page = await open(await startGate({ ui: 0 }, 'fake'), '#/recording');
    await page.getByText('Nothing is recorded or replayed here').waitFor();
    expect(browser.errors).toEqual([]);
    expect(await axeFindings(page)).toEqual([]);
  });
});

describe('faults', { tags: 'slow' }, () => {
  it('are set, counted and cleared; what is wrong is said at its field', async () => {
    const gate = await startGate({ ui: 0 }, 'fake');
    const page = await open(gate, '#/faults');
    await page.getByText('There are none').waitFor();
    const faults = page.getByLabel('Faults, one a line');
    await faults.fill('GET sttaus=503');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText('unknown field "sttaus"').waitFor();
    expect(await page.getByText('faults[').count()).toBe(0);
    expect(await faults.getAttribute('aria-invalid')).toBe('true');
    const described = (await faults.getAttribute('aria-describedby')) as string;
    const wrong = page.locator(`#${described.split(' ').at(-1)}`);
    expect(await wrong.innerText()).toContain('unknown field "sttaus"');
    expect(await axeFindings(page)).toEqual([]);
    await faults.fill('GET /accounts/** status=503 count=1\nPATCH latency=1ms');
    await page.getByLabel('Seed').fill('7');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText('The faults hold from now on').waitFor();
    expect((await fetch(gate.url + PROJECT_URL)).status).toBe(503);
    expect((await fetch(gate.url + PROJECT_URL)).status).toBe(200);
    const row = page.getByRole('row', { name: 'GET /accounts/** status=503 count=1 2 1' });
    await row.waitFor();
    expect(await page.getByText('Seed 7.').count()).toBe(1);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.getByText('There are none').waitFor();
    expect(await faults.inputValue()).toBe('');
    expect(scriptErrors(browser)).toEqual([]);
  });
});

describe('counts', { tags: 'slow' }, () => {
  it('say by rule what enforce would block, with an example', async () => {
    const service = await startShop();
    const gate = await startGate({ ui: 0, target: service.target.url, validation: 'warn', guard: 'off' });
    const page = await open(gate, '#/counts');
    await page.getByText('Of the last 0 exchanges').waitFor();
    const good = shop(service);
    for (let time = 0; time < 2; time++) await patch(gate, { ...good, languages: ['COBOL'] });
    await patch(gate, good);
    await page.getByText('Of the last 3 exchanges, 3 were judged: 0 were blocked, 2 passed').waitFor();
    const [row = ''] = await rowsOf(page, 'Requests by rule');
    expect(row.replace(/\d+ s ago/g, 'now')).toBe(
      'schema.enum | 0 | 2 | 0 | updateProject | now | now | Exchange 2',
    );
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Exchange 2' }).click();
    await page.getByRole('heading', { name: 'Exchange 2' }).waitFor();
    expect(scriptErrors(browser)).toEqual([]);
  });
});

describe('send', { tags: 'slow' }, () => {
  it('sends an exchange again, without its secrets, after a dry run while it is typed', async () => {
    const service = await startShop();
    const gate = await startGate({ ui: 0, target: service.target.url });
    await fetch(gate.url + PROJECT_URL);
    await patch(gate, { ...shop(service), name: 'Shop' }, { authorization: 'Bearer secret', 'x-team': 'a' });
    const page = await open(gate, '#/send?exchange=2');
    const body = page.getByLabel('Body');
    await page.getByText('Left out, since what is secret is not shown: authorization').waitFor();
    expect(await page.getByLabel('Headers, one a line').inputValue()).toContain('x-team: a');
    await page.getByText('Dry run: would pass').waitFor();
    // What is typed is judged: the place is marked, and named.
    const text = await body.inputValue();
    await body.fill(text.replace('"NODEJS"', '"COBOL"').replace('"Staging"', '5'));
    await page.getByText('Dry run: would be blocked (422), 2 errors').waitFor();
    const marks = page.locator('mark');
    expect((await marks.allInnerTexts()).sort()).toEqual(['"COBOL"', '5', '[']);
    const mark = (await marks.first().boundingBox()) as { x: number; y: number };
    const field = (await body.boundingBox()) as { x: number; y: number };
    expect(mark.x).toBeGreaterThan(field.x);
    expect(mark.y).toBeGreaterThan(field.y);
    await page.getByRole('button', { name: /^line 4/ }).click();
    // It leads to the place.
    await page.keyboard.press('Delete');
    expect(await body.inputValue()).toContain('    COBOL"');
    expect(await axeFindings(page)).toEqual([]);
    // What would be lost is a plan.
    const fewer = { ...shop(service), environments: shop(service).environments.slice(0, 2) };
    await body.fill(JSON.stringify(fewer));
    await page.getByText('environment 3 "Development" will be deleted permanently').first().waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Answered with 409').waitFor();
    await page.getByRole('link', { name: 'Exchange 3' }).waitFor();
    expect(service.deleted).toEqual([]);
    await body.fill(JSON.stringify({ ...shop(service), name: 'Sent' }));
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Answered with 200').waitFor();
    expect(shop(service).name).toBe('Sent');
    expect(await axeFindings(page)).toEqual([]);
    expect(scriptErrors(browser)).toEqual([]);
  });

  it('says what is wrong at its field, and keeps what is written', async () => {
    const page = await open(await startGate({ ui: 0 }, 'fake'), '#/send');
    const url = page.getByLabel('URL');
    await url.fill('no path');
    await page.getByText('/url must be a path that begins with /').waitFor();
    expect(await url.getAttribute('aria-invalid')).toBe('true');
    await url.fill('/api/v2/elsewhere');
    await page.getByText('no operation of the contract concerns it').waitFor();
    await page.getByLabel('Headers, one a line').fill('nothing');
    await page.getByText('line 1 is no header').waitFor();
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Counts' }).click();
    await page.getByRole('heading', { name: 'Counts' }).waitFor();
    await page.getByRole('link', { name: 'Send' }).click();
    expect(await url.inputValue()).toBe('/api/v2/elsewhere');
  });
});

/** Pixels by which a page is wider than its window. */
function widthTooMuch(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

describe('each view', { tags: 'slow' }, () => {
  it.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    // 400 % of 1280 pixels.
    ['narrow', { viewport: { width: 320, height: 640 } }],
  ] as const)('is accessible and fits its window: %s', async (_, options) => {
    const folder = temporaryFolder();
    const service = await startShop();
    const given = { ui: 0, faults: 'GET status=503 rate=0' } as const;
    const gate = await startRecorder(folder, service.target.url, given as never);
    const session = { 'Patchgate-Session': 'a-name-without-any-space-'.repeat(4) };
    await fetch(gate.url + PROJECT_URL, { headers: session });
    await patch(gate, { ...shop(service), environments: [{ id: 1, name: 'Production', isEnabled: true }] });
    await patch(gate, { ...shop(service), environments: 5, languages: ['x'.repeat(200)] });
    const page = await open(gate, '#/approvals', options);
    for (const [view, heading, text] of [
      ['approvals', 'Approvals', 'Pending'],
      ['state', 'Known records', 'Forget…'],
      ['sessions', 'Sessions', 'End…'],
      ['faults', 'Faults', 'Set others'],
      ['recording', 'Recording', 'Recorded in this run'],
      ['counts', 'Counts', 'schema.type'],
      ['send?exchange=3', 'Send', 'Dry run:'],
    ] as const) {
      await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await page.getByText(text).first().waitFor();
      expect([view, await axeFindings(page), await widthTooMuch(page)]).toEqual([view, [], 0]);
    }
    expect(scriptErrors(browser)).toEqual([]);
  });
});
