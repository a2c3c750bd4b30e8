/** Pages of other origins, in a browser: it decides what their scripts get to read. */
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { BAD_PROJECT, GOOD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { startGate } from '../support/in-process.ts';
import { startTarget, type Target } from '../support/target.ts';

const SHORTER = { ...GOOD_PROJECT, environments: GOOD_PROJECT.environments.slice(1) };

const browser = useBrowser();

/** A server with one page, and nothing on it. */
function startPages(): Promise<Target> {
  return startTarget((_, res) =>
    res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>page</title>'),
  );
}

let pages: Target;
let otherPages: Target;
let target: Target;
beforeAll(async () => {
  pages = await startPages();
  otherPages = await startPages();
  // It knows nothing of pages: it refuses to answer preflights, and allows no origin.
  target = await startTarget((req, res) => {
    if (req.method === 'OPTIONS') res.writeHead(405).end();
    else res.setHeader('Content-Type', 'application/json').end(JSON.stringify(GOOD_PROJECT));
  });
});
beforeEach(() => {
  target.received.length = 0;
});

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  credentials?: 'include';
}

interface Read {
  status: number;
  /** Of the answer's headers, those that the browser shows to the script. */
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the answer is.
  json: any;
}

/** What a script of the page gets to read; the browser's error where it gets nothing. */
function ask(page: Page, url: string, init: Asked = {}): Promise<Read | string> {
  return page.evaluate(
    async ([url, init]) => {
      try {
        const answer = await fetch(url, init);
        const headers = Object.fromEntries(answer.headers);
        return { status: answer.status, headers, json: await answer.json() };
      } catch (error) {
        return String(error);
      }
    },
    [url, init] as const,
  );
}

function patch(page: Page, gate: { url: string }, body: unknown, headers = {}): Promise<Read | string> {
  return ask(page, gate.url + PROJECT_PATH, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const NOTHING = 'TypeError: Failed to fetch';

describe('a page of an origin that may ask for all', { tags: 'slow' }, () => {
  it('reads why its PATCH was blocked, and approves it', async () => {
    const gate = await startGate({ target: target.url, cors: [pages.url] });
    const page = await browser.open(pages.url);
    expect(await patch(page, gate, BAD_PROJECT)).toMatchObject({
      status: 422,
      headers: { 'patchgate-blocked': 'invalid-request', 'content-type': 'application/problem+json' },
      json: { type: 'urn:patchgate:problem:invalid-request', findings: [{ rule: 'schema.required' }, {}] },
    });
    expect(await patch(page, gate, GOOD_PROJECT)).toMatchObject({ status: 200, json: GOOD_PROJECT });
    const blocked = (await patch(page, gate, SHORTER)) as Read;
    expect(blocked).toMatchObject({
      status: 409,
      json: { type: 'urn:patchgate:problem:destructive-change' },
    });
    expect(target.received).toHaveLength(1);
    const approved = await patch(page, gate, SHORTER, { 'Patchgate-Approve': blocked.json.approve });
    expect(approved).toMatchObject({ status: 200 });
    expect(target.received.map(({ method }) => method)).toEqual(['PATCH', 'PATCH']);
  });

  it('sends its cookies, where it asks for that', async () => {
    const gate = await startGate({ target: target.url, cors: [pages.url] });
    const page = await browser.open(pages.url);
    await page.context().addCookies([{ name: 'who', value: 'me', url: gate.url }]);
    const read = await ask(page, gate.url + PROJECT_PATH, { credentials: 'include' });
    expect(read).toMatchObject({ status: 200, json: GOOD_PROJECT });
    expect(target.received[0]?.headers.cookie).toBe('who=me');
  });

  it('reads nothing of the control API but that it is refused', async () => {
    const gate = await startGate({ target: target.url, cors: [pages.url] });
    const page = await browser.open(pages.url);
    const refused = { status: 403, json: { detail: 'the control API does not answer to web pages' } };
    for (const path of ['health', 'exchanges', 'metrics'])
      expect(await ask(page, `${gate.url}/__patchgate/${path}`), path).toMatchObject(refused);
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
    expect(await ask(page, `${gate.url}/__patchgate/validate`, init)).toBe(NOTHING);
    const other = await browser.open(otherPages.url);
    expect(await ask(other, `${gate.url}/__patchgate/health`)).toBe(NOTHING);
  });
});

it('a page of another origin reads nothing, and its PATCH goes nowhere', { tags: 'slow' }, async () => {
  const gate = await startGate({ target: target.url, cors: [pages.url] });
  const page = await browser.open(otherPages.url);
  expect(await patch(page, gate, BAD_PROJECT)).toBe(NOTHING);
  expect(await patch(page, gate, GOOD_PROJECT)).toBe(NOTHING);
  expect(await ask(page, gate.url + PROJECT_PATH)).toBe(NOTHING);
  expect(target.received.map(({ method }) => method)).not.toContain('PATCH');
  expect(browser.errors).toContainEqual(expect.stringContaining('blocked by CORS policy'));
});

it('any page reads the answers where any may, but not with its cookies', { tags: 'slow' }, async () => {
  const gate = await startGate({ target: target.url, cors: ['*'] });
  const page = await browser.open(otherPages.url);
  expect(await patch(page, gate, BAD_PROJECT)).toMatchObject({ status: 422 });
  expect(await ask(page, gate.url + PROJECT_PATH, { credentials: 'include' })).toBe(NOTHING);
});
