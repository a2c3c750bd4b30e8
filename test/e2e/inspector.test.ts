// @module-tag chromium
/** The inspector in Chromium, before a real gate. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startBinary } from '../support/binary.ts';
import { useBrowser } from '../support/browser.ts';
import { FEATURE_URL, PROJECT_URL } from '../support/gate.ts';
import {
  type InProcess,
  type Settings,
  startGate,
  startRecorder,
  startReplay,
} from '../support/in-process.ts';
import { patch, project, type Service, startService } from '../support/service.ts';
import { freePort } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const browser = useBrowser();
const ANNA = 'anna-has-a-token-of-32-characters';
const ALL = project('1 Production', '2 Staging', '3 Development');
const LOSSY = { ...project('1 Production', '2 Staging'), languages: ['GO'] };

async function start(settings: Settings = {}): Promise<{ gate: InProcess; service: Service }> {
  const service = await startService();
  service.projects.set('42', ALL);
  const gate = await startGate({ target: service.target.url, readState: true, ui: 0, ...settings });
  return { gate, service };
}

/** As the start says it, with the token. */
const linkTo = ({ notices }: InProcess) => /inspector: (http\S+)/.exec(notices.join('\n'))?.[1] as string;

/** @param view `#/state` */
async function open(gate: InProcess, view: string, options?: BrowserContextOptions): Promise<Page> {
  const page = await browser.open(linkTo(gate), options);
  await page.goto(new URL(`/${view}`, linkTo(gate)).href);
  return page;
}

/** Without the refusals of the control API, which the page shows. */
const scriptErrors = () => browser.errors.filter((text) => !text.startsWith('Failed to load resource'));

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds on a page, and where: `color-contrast: .quiet`. */
async function axeFindings(page: Page): Promise<string[]> {
  // Evaluated from without: the page's policy lets no script in.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

async function get(gate: InProcess, path: string): Promise<void> {
  await (await fetch(gate.url + path)).arrayBuffer();
}

const rows = (page: Page) => page.getByRole('option');
const detail = (page: Page) => page.getByRole('region', { name: 'Exchange', exact: true });
const filter = (page: Page) => page.getByRole('searchbox', { name: 'Filter' });
/** Of each row: `Blocked 409 PATCH …/projects/42`. */
async function shown(page: Page, count: number): Promise<string[]> {
  await rows(page)
    .nth(count - 1)
    .waitFor();
  return (await rows(page).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
}

/** Lines of a diff, as a person sees them: `− "a": 1 | `. */
async function diffIn(page: Page): Promise<string[]> {
  const table = page.getByRole('table', { name: 'and sent' });
  await table.waitFor();
  for (const fold of await table.getByRole('button').all()) await fold.click();
  const lines = await table.locator('tbody tr').all();
  const cells = await Promise.all(lines.map((line) => line.locator('td').allInnerTexts()));
  return cells.map((sides) =>
    sides
      .map((side) => side.trim().replace(/\s+/g, ' '))
      .join(' | ')
      .trim(),
  );
}

describe('the list', { tags: 'slow' }, () => {
  it('shows exchanges as they come, and counts them in the header', async () => {
    const { gate } = await start();
    const page = await open(gate, '#/');
    await page.getByText('No exchange yet').waitFor();
    await get(gate, PROJECT_URL);
    await patch(gate.url, LOSSY);
    await rows(page).nth(1).waitFor();
    const [blocked = '', read = ''] = await shown(page, 2);
    expect(blocked).toMatch(/^✕ Blocked 409 PATCH .*\/projects\/42 updateProject \d\d:\d\d:\d\d [\d.]+ m?s$/);
    expect(read).toMatch(/^– Unjudged 200 GET .*\/projects\/42 \d\d:\d\d:\d\d [\d.]+ m?s$/);
    const header = page.getByRole('banner');
    expect(await header.innerText()).toMatch(/forwards to http:\S+\s+enforce\s+guard on/i);
    await header.getByRole('link', { name: '1 blocked' }).click();
    await rows(page).nth(1).waitFor({ state: 'detached' });
    expect(await filter(page).inputValue()).toBe('blocked');
    expect(scriptErrors()).toEqual([]);
  });

  it('filters by words and chips, and keeps the filter in its address', async () => {
    const { gate } = await start();
    await get(gate, '/other?page=2');
    await get(gate, PROJECT_URL);
    await patch(gate.url, LOSSY);
    await patch(gate.url, { name: 7 });
    const page = await open(gate, '#/');
    await rows(page).nth(3).waitFor();
    const ids = async (text: string) => {
      await filter(page).fill(text);
      return (await rows(page).all()).length === 0
        ? []
        : rows(page).evaluateAll((all) => all.map(({ id }) => Number(id.split('-')[1])));
    };
    const cases: [string, number[]][] = [
      ['', [4, 3, 2, 1]],
      ['PATCH', [4, 3]],
      ['blocked status:409', [3]],
      ['status:4xx', [4, 3, 1]],
      ['-PATCH', [2, 1]],
      ['page=2', [1]],
      ['rule:schema.type', [4]],
      ['operation:updateProject 409', []],
      ['operation:updateProject status:409', [3]],
      ['status:5xx', []],
    ];
    for (const [text, wanted] of cases) expect(await ids(text), text).toEqual(wanted);
    await page.getByText('No exchange matches this filter.').waitFor();
    await filter(page).fill('GET');
    const chip = page.getByRole('button', { name: 'blocked', exact: true });
    await chip.click();
    expect(await filter(page).inputValue()).toBe('GET blocked');
    expect(await chip.getAttribute('aria-pressed')).toBe('true');
    await chip.click();
    expect(new URL(page.url()).hash).toBe('#/exchanges?q=GET');
    await page.reload();
    await rows(page).nth(1).waitFor();
    expect(await rows(page).count()).toBe(2);
  });

  it('is walked through by keys', async () => {
    const { gate } = await start();
    for (const path of ['/a', '/b', '/c']) await get(gate, path);
    const page = await open(gate, '#/');
    await rows(page).nth(2).waitFor();
    const selected = () => page.getByRole('option', { selected: true }).getAttribute('id');
    await page.keyboard.press('/');
    await page.keyboard.type('GET');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await selected()).toBe('exchange-2');
    expect(await detail(page).count()).toBe(0);
    await page.keyboard.press('Enter');
    await detail(page).getByRole('heading', { name: 'GET /b' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await detail(page).getByRole('heading', { name: 'GET /a' }).waitFor();
    await page.keyboard.press('Home');
    await detail(page).getByRole('heading', { name: 'GET /c' }).waitFor();
    await page.keyboard.press('Escape');
    await detail(page).waitFor({ state: 'detached' });
    expect(await selected()).toBe('exchange-3');
    expect(new URL(page.url()).hash).toBe('#/exchanges?q=GET');
  });

  it('stays as it is while somebody reads it, and says how many are new', async () => {
    const { gate } = await start();
    await get(gate, '/first');
    const page = await open(gate, '#/');
    await rows(page).first().click();
    for (const path of ['/second', '/third']) await get(gate, path);
    const news = page.getByRole('button', { name: '2 new' });
    await news.waitFor();
    expect(await rows(page).count()).toBe(1);
    await news.click();
    await rows(page).nth(2).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await rows(page).first().waitFor({ state: 'detached' });
    await get(gate, '/fourth');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('Escape');
    await rows(page).getByText('/fourth').waitFor();
    expect(await rows(page).count()).toBe(1);
  });

  it('has a thousand exchanges, with the end of each path in view', async () => {
    const { gate } = await start();
    const long = `/api/v2/accounts/current/${'x'.repeat(200)}/projects`;
    for (let i = 0; i < 100; i++)
      await Promise.all(Array.from({ length: 10 }, (_, j) => get(gate, `${long}/${i * 10 + j}`)));
    const page = await open(gate, '#/');
    await rows(page).nth(999).waitFor();
    const list = page.getByRole('listbox');
    expect(await list.evaluate((rows: { scrollHeight: number }) => rows.scrollHeight)).toBe(32_000);
    await rows(page).last().scrollIntoViewIfNeeded();
    const end = rows(page).last().getByText('/projects/', { exact: false }).last();
    await end.waitFor();
    const [box, row] = [await end.boundingBox(), await rows(page).last().boundingBox()];
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan((row?.x ?? 0) + (row?.width ?? 0));
  });

  it('is downloaded with the bodies that the filter leaves', async () => {
    const { gate } = await start();
    await get(gate, '/other');
    await patch(gate.url, LOSSY, { headers: { authorization: 'Bearer of-mine' } });
    const page = await open(gate, '#/exchanges?q=PATCH');
    await rows(page).first().waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'JSON' }).click();
    const { exchanges } = JSON.parse(await readFile(await (await downloading).path(), 'utf8'));
    expect(exchanges).toHaveLength(1);
    const [{ request, response }] = exchanges;
    expect(request).toMatchObject({ method: 'PATCH', url: PROJECT_URL, body: { json: LOSSY } });
    expect(request.headers).toMatchObject({ authorization: '[redacted]' });
    expect(response).toMatchObject({ status: 409, body: { json: { status: 409 } } });
  });
});

describe('an exchange', { tags: 'slow' }, () => {
  it('that was blocked says so in a sentence, links each finding to its line, and folds the rest', async () => {
    const { gate } = await start();
    await patch(gate.url, { name: 'Checkout', environments: [{ id: 'x', name: 'A', isEnabled: true }] });
    const page = await open(gate, '#/exchanges/1');
    await detail(page)
      .getByText(/Blocked with 422: \d errors\. Nothing was sent\./)
      .waitFor();
    expect(await detail(page).getByText('/languages is missing').filter({ visible: true }).count()).toBe(1);
    await detail(page).getByRole('link', { name: '/environments/0/id' }).click();
    await expect.poll(() => new URL(page.url()).hash).toMatch(/^#\/exchanges\/1\?finding=\d$/);
    const line = () => page.evaluate('document.activeElement.parentElement.innerText');
    await expect.poll(line).toContain('"id": "x"');
    await detail(page).getByText('languages is missing here').waitFor();
    expect(await detail(page).getByText('urn:patchgate:problem').isVisible()).toBe(false);
    await detail(page).getByText('The gate’s answer').click();
    await detail(page).getByText('urn:patchgate:problem').waitFor();
    expect(await detail(page).getByRole('table', { name: 'Request headers' }).count()).toBe(0);
    await detail(page).getByText('headers', { exact: false }).first().click();
    await detail(page).getByRole('table', { name: 'Request headers' }).waitFor();
  });

  it('that would delete shows what is known beside what was sent, and is copied', async () => {
    const { gate, service } = await start();
    service.projects.set('42', { ...ALL, name: 'Renamed in the service' });
    const { json } = await patch(gate.url, LOSSY, { headers: { authorization: 'Bearer of-mine' } });
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await open(gate, '#/exchanges/1', { permissions });
    await detail(page)
      .getByText('Blocked: this PATCH would delete environment 3 "Development" for good. Nothing was sent.')
      .waitFor();
    const diff = await diffIn(page);
    expect(diff.filter((line) => /[−+]/.test(line))).toEqual([
      '− "name": "Renamed in the service", | + "name": "Checkout",',
      '− "NODEJS" | + "GO"',
      ...['− {', '− "id": 3,', '− "name": "Development",', '− "isEnabled": false', '− }'].map(
        (line) => `${line} |`,
      ),
    ]);
    expect(diff[0]).toBe('{ | {');
    expect(diff).toContain('}, | }');
    const copied = async (name: string) => {
      await detail(page).getByRole('button', { name }).click();
      await detail(page).getByText('Copied.').waitFor();
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    expect(await copied('Copy as curl')).toContain(`${gate.url}${PROJECT_URL}`);
    await detail(page).getByText('Secrets are redacted').waitFor();
    expect(JSON.parse(await copied('Copy corrected body'))).toEqual(json.corrected);
    expect(service.deleted).toEqual([]);
  });

  it('that deleted with an approval shows what was there before', async () => {
    const { gate } = await start();
    const { json } = await patch(gate.url, LOSSY);
    const headers = { 'Patchgate-Approve': json.approve as string };
    expect((await patch(gate.url, LOSSY, { headers })).status).toBe(200);
    const page = await open(gate, '#/exchanges/2');
    await detail(page).getByText('it deletes environment 3 "Development" for good, as approved.').waitFor();
    expect(await shown(page, 2)).toContainEqual(expect.stringMatching(/Passed 200 .*deletion approved/i));
    expect((await diffIn(page)).filter((line) => /[−+]/.test(line))).toEqual(
      ['− {', '− "id": 3,', '− "name": "Development",', '− "isEnabled": false', '− }'].map(
        (line) => `${line} |`,
      ),
    );
    await filter(page).fill('approved');
    expect(await rows(page).count()).toBe(1);
  });

  it('that a recording has no answer for stands beside the nearest one', async () => {
    const folder = temporaryFolder();
    const { service } = await start();
    const recorder = await startRecorder(folder, service.target.url);
    await patch(recorder.url, ALL);
    await recorder.gate.close();
    const gate = await startReplay(folder, { ui: 0 });
    await patch(gate.url, ALL);
    await patch(gate.url, { ...ALL, name: 'Basket' });
    const page = await open(gate, '#/exchanges/2');
    await detail(page).getByText('Missed: the recording has no answer to this request.').waitFor();
    const differences = page.getByRole('table', { name: 'Differences' }).getByRole('row');
    expect(await differences.nth(1).innerText()).toBe('/name\t"Checkout"\t"Basket"');
    expect((await diffIn(page)).filter((line) => /[−+]/.test(line))).toEqual([
      '− "name": "Checkout", | + "name": "Basket",',
    ]);
    expect(await shown(page, 2)).toEqual([
      expect.stringContaining('Missed 501'),
      expect.stringMatching(/Passed 200 .*replayed/i),
    ]);
    expect(await page.getByRole('banner').getByRole('link', { name: '1 missed' }).count()).toBe(1);
  });

  it('that passed unguarded has a mark', async () => {
    const { gate } = await start({ readState: false });
    await patch(gate.url, ALL);
    const page = await open(gate, '#/');
    await rows(page).first().waitFor();
    expect(await shown(page, 1)).toEqual([expect.stringMatching(/unguarded/i)]);
    await page.getByRole('banner').getByRole('link', { name: '1 unguarded' }).click();
    expect(await rows(page).count()).toBe(1);
  });

  it('is text alone, whatever it holds', async () => {
    const { gate } = await start();
    const hostile = '<img src=x onerror="window.attacked = 1"><script>window.attacked = 1</script>\u202e';
    const plain = hostile.slice(0, -1);
    const send = (body: string, path = `${FEATURE_URL}?q=${encodeURIComponent(hostile)}`) =>
      fetch(gate.url + path, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'x-name': plain, 'patchgate-session': 'a' },
        body,
      });
    await send(JSON.stringify({ name: hostile, type: 7, [hostile]: [{ [plain]: hostile }] }));
    await send(`{"name": "${plain.replaceAll('"', "'")}", [}`);
    await patch(gate.url, {
      ...LOSSY,
      name: hostile,
      environments: [{ id: 1, name: hostile, isEnabled: true }],
    });
    const page = await open(gate, '#/');
    for (const view of ['#/exchanges/1', '#/exchanges/2', '#/exchanges/3', '#/approvals']) {
      await page.evaluate(`void (location.hash = ${JSON.stringify(view)})`);
      await page.getByText('onerror=').filter({ visible: true }).first().waitFor();
      const found = await page.evaluate(`[
        'attacked' in window,
        document.querySelectorAll('#app :is(img, script, style, iframe)').length,
        document.body.innerText.includes('\u202e'),
      ]`);
      expect(found, view).toEqual([false, 0, false]);
    }
    expect(scriptErrors()).toEqual([]);
  });
});

describe('an approval', { tags: 'slow' }, () => {
  it('is given by page with the token of an approver, and the client sends again', async () => {
    const { gate, service } = await start({ approvers: [`anna=${ANNA}`] });
    const page = await open(gate, '#/');
    const { json } = await patch(gate.url, LOSSY);
    const headers = { 'Patchgate-Approve': json.approve as string };
    expect((await patch(gate.url, LOSSY, { headers })).status).toBe(409);
    await page.getByText('1 PATCH waits for an approval').waitFor();
    await expect.poll(() => page.title()).toBe('(1) Exchanges - Patchgate');
    await page.getByRole('link', { name: 'Review' }).click();
    await page.getByRole('heading', { name: 'Deletes environment 3 "Development" for good' }).waitFor();
    await page.getByText(/Asked by 127\.0\.0\.1 at .*Ends in 9:\d\d/).waitFor();
    expect((await diffIn(page)).join('\n')).toContain('− "name": "Development",');
    const approve = page.getByRole('button', { name: 'Approve: delete environment 3 "Development"' });
    const token = page.getByLabel('Your approver’s token');
    await token.fill('nobody');
    await approve.click();
    await page.getByRole('alert').getByText('This needs the token of an approver.').waitFor();
    await token.fill(ANNA);
    await page.getByLabel('Reason').fill('it has moved');
    await approve.click();
    await page.getByRole('cell', { name: /approved by anna at .*send it again: it has moved/ }).waitFor();
    await expect.poll(() => page.title()).toBe('Approvals - Patchgate');
    expect((await patch(gate.url, LOSSY, { headers })).status).toBe(200);
    expect(service.deleted).toEqual(['42: 3 Development']);
    await page.getByRole('cell', { name: /approved by anna at .*, and used/ }).waitFor();
    expect(scriptErrors()).toEqual([]);
  });

  it('ends on the page when its time is over', async () => {
    const { gate } = await start();
    const page = await open(gate, '#/approvals');
    await page.getByText('Nothing waits for an approval.').waitFor();
    await patch(gate.url, LOSSY);
    await page.getByText('Ends in').waitFor();
    await page.clock.install();
    await page.clock.fastForward('10:00');
    await page.getByRole('cell', { name: 'ended without a decision' }).waitFor();
    await page.getByText('Nothing waits for an approval.').waitFor();
  });
});

describe('the page', { tags: 'slow' }, () => {
  it.each([
    ['light', 1280],
    ['dark', 400],
  ] as const)(
    'has no finding of axe in %s at a width of %d, and nothing over its edge',
    async (colorScheme, width) => {
      const { gate } = await start();
      await patch(gate.url, ALL);
      await patch(gate.url, { name: [] });
      await get(gate, `/${'long'.repeat(100)}`);
      await patch(gate.url, LOSSY);
      const page = await open(gate, '#/', { colorScheme, viewport: { width, height: 800 } });
      await rows(page).nth(3).waitFor();
      for (const view of ['#/', '#/exchanges/2', '#/exchanges/4', '#/exchanges/99', '#/approvals']) {
        await page.evaluate(`void (location.hash = ${JSON.stringify(view)})`);
        await (view === '#/'
          ? rows(page).first()
          : page.locator('.code, .diff, .detail [role=alert]').first()
        ).waitFor();
        expect(await axeFindings(page), view).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(width);
      }
      const back = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      expect(back).toBe(colorScheme === 'dark' ? 'rgb(22, 24, 29)' : 'rgb(255, 255, 255)');
    },
  );

  it('loads below 60 KB', async () => {
    const { gate } = await start();
    const bodies: Promise<Buffer>[] = [];
    const page = await browser.open('about:blank');
    page.on('response', (response) => {
      if (!response.url().includes('__patchgate')) bodies.push(response.body());
    });
    await page.goto(linkTo(gate));
    await page.getByText('No exchange yet').waitFor();
    const size = Buffer.concat(await Promise.all(bodies)).length;
    expect(size).toBeGreaterThan(10_000);
    expect(size).toBeLessThan(60_000);
  });

  it('of the packed program opens by its link, and goes on when the gate comes back', async () => {
    const port = String(await freePort());
    const start = (env = {}) => startBinary(['fake', '--ui', port], { env });
    const first = await start();
    const link = /inspector: (http:\S+)/.exec(first.stderr())?.[1] as string;
    expect(first.stdout()).toBe('');
    const page = await browser.open(link);
    await page.getByRole('heading', { name: 'Exchanges' }).waitFor();
    await fetch(first.url + PROJECT_URL);
    await page.getByText(PROJECT_URL).first().waitFor();
    await first.stop();
    await page.getByText('Disconnected').waitFor();
    const second = await start({ PATCHGATE_CONTROL_TOKEN: new URL(link).hash.slice('#token='.length) });
    await fetch(`${second.url}${PROJECT_URL}?again`);
    await page.getByText(`${PROJECT_URL}?again`).first().waitFor();
    expect(await page.getByText('Disconnected').count()).toBe(0);
    await second.stop('SIGKILL');
    // It has another token.
    await start();
    await page.getByLabel('Token').waitFor();
  });
});
