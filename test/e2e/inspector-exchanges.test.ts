// @module-tag chromium
/** The inspector's list of exchanges and its page of one exchange, in Chromium. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFindings } from '../support/axe.ts';
import { useBrowser } from '../support/browser.ts';
import { FEATURE_URL, PROJECT_URL } from '../support/gate.ts';
import {
  type InProcess,
  type Settings,
  startGate,
  startRecorder,
  startReplay,
} from '../support/in-process.ts';
import { inspectorLink, scriptErrors } from '../support/inspector.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const browser = useBrowser();

const PROJECT = {
  name: 'Checkout',
  languages: ['NODEJS', 'PYTHON'],
  environments: [
    { id: 1, name: 'Production', isEnabled: true },
    { id: 2, name: 'Staging', isEnabled: false },
    { id: 3, name: 'Development', isEnabled: false },
  ],
};
/** Environment 3 is left out, and languages is missing. */
const LOSSY = { name: 'Checkout', environments: PROJECT.environments.slice(0, 2) };

async function startInspected(settings: Settings = {}): Promise<InProcess> {
  const fake = await startGate({}, 'fake');
  return startGate({ target: fake.url, readState: true, ui: 0, ...settings });
}

async function send(
  { url }: Pick<InProcess, 'url'>,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
): Promise<void> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const res = await fetch(url + path, {
    method,
    headers: { ...json, ...headers },
    ...(text && { body: text }),
  });
  await res.arrayBuffer();
}

const rows = (page: Page) => page.locator('table.exchanges tbody tr[data-index]');
const numbers = (page: Page) => rows(page).locator('th').allInnerTexts();
const open = (page: Page, route: string) => page.evaluate(`location.hash = ${JSON.stringify(route)}`);

describe('the list of exchanges', { tags: 'slow' }, () => {
  it('shows them as they come, and filters them by the address', async () => {
    const gate = await startInspected();
    const page = await browser.open(inspectorLink(gate));
    await page.getByText('There is no exchange yet').waitFor();
    await send(gate, 'GET', PROJECT_URL);
    await send(gate, 'PATCH', PROJECT_URL, PROJECT);
    await send(gate, 'PATCH', PROJECT_URL, LOSSY, { 'Patchgate-Session': 'one test' });
    await page.getByRole('cell', { name: 'one test' }).waitFor();
    const texts = (await rows(page).allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    expect(texts[0]).toMatch(/^3 [\d:]+ PATCH \S+ 422 ✕ Blocked \/languages is missing, and 1 more gate/);
    expect(texts[1]).toMatch(/^2 [\d:]+ PATCH \S+ 200 ✓ Passed target/);
    expect(texts[2]).toMatch(/^1 [\d:]+ GET \S+ 200 – Not judged target/);

    await page.getByLabel('Verdict').selectOption('blocked');
    await expect.poll(() => numbers(page)).toEqual(['3']);
    expect(new URL(page.url()).hash).toBe('#/?verdict=block');
    await page.reload();
    await expect.poll(() => numbers(page)).toEqual(['3']);
    await page.getByRole('link', { name: PROJECT_URL }).click();
    await page.getByRole('heading', { name: 'Exchange 3' }).waitFor();
    await page.getByRole('link', { name: 'All exchanges' }).click();
    await expect.poll(() => numbers(page)).toEqual(['3']);
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => numbers(page)).toEqual(['3', '2', '1']);

    for (const [label, value, wanted] of [
      ['Rule', 'schema.required', ['3']],
      ['Operation', 'updateProject', ['3', '2']],
      ['Method', 'GET', ['1']],
      ['Session', 'the default one', ['2', '1']],
    ] as const) {
      await page.getByLabel(label).selectOption(value);
      await expect.poll(() => numbers(page), { message: label }).toEqual(wanted);
      await page.getByRole('button', { name: 'Clear' }).click();
    }
    await page.getByLabel('Text').fill('development');
    await expect.poll(() => numbers(page)).toEqual(['3']);
    await page.getByLabel('Path').fill('/features/');
    await page.getByText('No exchange matches this filter').waitFor();
    expect(scriptErrors(browser)).toEqual([]);
  });

  it('stays as it is while somebody reads it', async () => {
    const gate = await startInspected();
    for (let i = 0; i < 3; i++) await send(gate, 'GET', `${PROJECT_URL}?${i}`);
    const page = await browser.open(inspectorLink(gate));
    const link = page.getByRole('link', { name: '?1' });
    await link.focus();
    const place = await link.boundingBox();
    for (let i = 0; i < 20; i++) await send(gate, 'GET', FEATURE_URL);
    await page.getByText('held while you read, 20 new').waitFor();
    expect(await link.boundingBox()).toEqual(place);
    expect(await page.evaluate('document.activeElement.innerText')).toContain('?1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Exchange 2' }).waitFor();

    await open(page, '#/');
    await page.getByRole('button', { name: 'Pause' }).click();
    await send(gate, 'GET', FEATURE_URL);
    await page.getByText('paused, 1 new').waitFor();
    expect((await numbers(page))[0]).toBe('23');
    await page.getByRole('button', { name: 'Go on' }).click();
    await expect.poll(async () => (await numbers(page))[0]).toBe('24');
  });

  it('has a thousand, of which those in view are there, and all can be reached', async () => {
    const gate = await startInspected();
    for (let i = 0; i < 50; i++)
      await Promise.all(Array.from({ length: 20 }, () => send(gate, 'GET', FEATURE_URL)));
    const page = await browser.open(inspectorLink(gate), { viewport: { width: 1000, height: 600 } });
    await page.getByText('1,000 exchanges').waitFor();
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('1001');
    expect(await rows(page).count()).toBeLessThan(60);
    await page.keyboard.press('End');
    await page.getByRole('rowheader', { name: '1', exact: true }).waitFor();
    expect(await rows(page).count()).toBeLessThan(60);
    // By the keyboard, from the first one down.
    const goHome = async () => {
      await page.keyboard.press('Home');
      return page.evaluate('scrollY');
    };
    await expect.poll(goHome).toBe(0);
    await page.locator('tr[aria-rowindex="2"]').getByRole('link').focus();
    const focused = () =>
      page.evaluate("document.activeElement.closest('tr')?.getAttribute('aria-rowindex')");
    for (let row = 3; row <= 82; row++) {
      await page.keyboard.press('Tab');
      expect(await focused()).toBe(String(row));
    }
    // One that is out of view keeps the focus.
    await page.evaluate('scrollTo(0, 20_000)');
    await page.locator('tr[aria-rowindex="620"]').waitFor();
    expect(await focused()).toBe('82');
  });
});

describe('an exchange', { tags: 'slow' }, () => {
  it('has its findings at their places, its effects, and what was known beside what was sent', async () => {
    const gate = await startInspected();
    await send(gate, 'PATCH', PROJECT_URL, LOSSY, { Authorization: 'Bearer secret-of-mine' });
    const page = await browser.open(inspectorLink(gate));
    await open(page, '#/exchanges/1');
    await page.getByRole('heading', { name: '2 findings' }).waitFor();
    const places = await page.locator('.code').first().locator('.line, .missing, .mark').allInnerTexts();
    const at = (text: string) => places.findIndex((line) => line.includes(text));
    expect(places[at('environment 3 (Development) is left out') - 1]).toContain('"environments": [');
    // It is missing before the end of the object.
    expect(places.slice(-3)).toEqual([
      expect.stringContaining('languages is missing here'),
      expect.stringMatching(/^Error \/languages is missing/),
      '}',
    ]);
    await page.getByRole('link', { name: '/languages is missing' }).click();
    expect(new URL(page.url()).hash).toMatch(/^#\/exchanges\/1\?finding=\d$/);
    expect(await page.evaluate('document.activeElement.textContent')).toContain('/languages is missing');

    await send(gate, 'PATCH', PROJECT_URL, { ...LOSSY, languages: PROJECT.languages });
    await open(page, '#/exchanges/2');
    const table = page.getByRole('region', { name: 'Known now, sent and corrected' });
    await table.waitFor();
    const effects = await page.locator('.effects li').allInnerTexts();
    expect(effects[0]).toBe('-environment 3 "Development" will be deleted permanently');
    const lost = table.getByRole('row').filter({ hasText: 'Development' });
    const cells = await lost.getByRole('cell').allTextContents();
    expect(cells.map((cell) => cell.trim().replace(/\s+/g, ' '))).toEqual([
      '"name": "Development"',
      '-left out',
      '"name": "Development"',
    ]);
    expect(scriptErrors(browser)).toEqual([]);
  });

  it('can be copied as curl and as HAR', async () => {
    const gate = await startInspected();
    await send(gate, 'PATCH', PROJECT_URL, LOSSY, {
      Authorization: 'Bearer secret-of-mine',
      'X-Odd': 'a\u00adb',
    });
    const page = await browser.open(inspectorLink(gate), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await open(page, '#/exchanges/1');
    const copied = async (name: string) => {
      await page.getByRole('button', { name }).click();
      await page.getByText(`Copied as ${name.slice('Copy as '.length)}`).waitFor();
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    const curl = await copied('Copy as curl');
    expect(curl).toContain(`${gate.url}${PROJECT_URL}`);
    expect(curl).toContain("-H 'authorization: [redacted]'");
    expect(curl).toContain(`--data-raw '${JSON.stringify(LOSSY)}'`);
    await page.getByText('Secrets are redacted').waitFor();
    await page.getByText('characters are in it: the header x-odd.').waitFor();
    expect(JSON.parse(await copied('Copy as HAR')).log.entries[0].response.status).toBe(422);
  });

  it('stands beside the nearest one of the recording, where that has no answer', async () => {
    const folder = temporaryFolder();
    const fake = await startGate({}, 'fake');
    const recorder = await startRecorder(folder, fake.url);
    await send(recorder, 'PATCH', PROJECT_URL, PROJECT);
    await recorder.gate.close();
    const gate = await startReplay(folder, { ui: 0 });
    await send(gate, 'PATCH', PROJECT_URL, { ...PROJECT, languages: ['GO'], name: 'Basket' });
    const page = await browser.open(inspectorLink(gate));
    await open(page, '#/exchanges/1');
    const differences = page.getByRole('table', { name: 'Where it differs from the nearest exchange' });
    await differences.waitFor();
    expect((await differences.getByRole('row').allInnerTexts()).slice(1)).toEqual([
      `/name\t"Checkout"\t"Basket"\t--ignore-pointers '/name'`,
      `/languages/0\t"NODEJS"\t"GO"\t--ignore-pointers '/languages/*'`,
      `/languages/1\t"PYTHON"\tnothing\t--ignore-pointers '/languages/*'`,
    ]);
    const both = page.getByRole('region', { name: 'Recorded and sent' });
    expect(await both.getByRole('row').filter({ hasText: 'Basket' }).innerText()).toContain(
      '"name": "Checkout"',
    );
    await page.getByText('Recorded: "Checkout"').waitFor();
    await page.setViewportSize({ width: 375, height: 740 });
    const cell = differences.getByRole('cell').filter({ hasText: '--ignore-pointers' }).first();
    expect((await cell.innerText()).replace(/\s+/g, ' ')).toContain("--ignore-pointers '/name'");
    const { x, width } = (await cell.boundingBox()) as { x: number; width: number };
    expect(x + width).toBeLessThanOrEqual(375);
    expect((await differences.locator('code').first().boundingBox())?.height).toBeLessThan(30);
    await page.getByRole('link', { name: 'All exchanges' }).click();
    await rows(page).getByText('Missed').waitFor();
    expect(browser.errors).toEqual([]);
  });

  it('shows what was sent as text alone', async () => {
    const gate = await startInspected();
    const hostile = '<img src=x onerror="window.attacked = 1"><script>window.attacked = 1</script>\u202e';
    await send(
      gate,
      'PATCH',
      PROJECT_URL,
      { ...PROJECT, name: hostile, [hostile]: 1 },
      { 'X-Name': '<b>x</b>' },
    );
    await send(gate, 'PATCH', PROJECT_URL, `{"name": "${hostile.replaceAll('"', "'")}", [}`);
    const page = await browser.open(inspectorLink(gate));
    for (const id of [1, 2]) {
      await open(page, `#/exchanges/${id}`);
      await page.getByRole('heading', { name: `Exchange ${id}` }).waitFor();
      await page.getByText('onerror=').first().waitFor();
    }
    const found = await page.evaluate(`[
      'attacked' in window,
      document.querySelectorAll('main :is(img, script, b, style)').length,
      document.body.innerText.includes('\u202e'),
    ]`);
    expect(found).toEqual([false, 0, false]);
    expect(scriptErrors(browser)).toEqual([]);
  });
});

describe.each(['light', 'dark'] as const)('for everybody, in the %s', { tags: 'slow' }, (colorScheme) => {
  it.each([1280, 320])(
    'has no findings of axe at a width of %d, and nothing goes over the edge',
    async (width) => {
      const gate = await startInspected();
      await send(gate, 'PATCH', PROJECT_URL, LOSSY);
      await send(gate, 'PATCH', PROJECT_URL, { ...PROJECT, languages: [] });
      await send(gate, 'PATCH', PROJECT_URL, '{"name": [}');
      const page = await browser.open(inspectorLink(gate), { viewport: { width, height: 800 }, colorScheme });
      for (const route of [
        '#/',
        '#/?verdict=pass',
        '#/exchanges/1',
        '#/exchanges/2',
        '#/exchanges/3',
        '#/exchanges/99',
      ]) {
        await open(page, route);
        await page.locator('main :is(table.exchanges, .code, [role=alert])').first().waitFor();
        expect(await axeFindings(page), route).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), route).toBeLessThanOrEqual(width);
      }
    },
  );
});
