/** Chromium, for what only a browser shows. */
import {
  type Browser,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
} from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { cleanUpLater } from './clean-up.ts';
import { CHROMIUM } from './tools.ts';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No page gets past this machine, whatever it links to.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost',
];

export interface TestBrowser {
  /**
   * A page with storage and cookies of its own, closed at the end of the test. What it waits for, it waits for 30 s at most.
   *
   * @param options `viewport`, `colorScheme`, `ignoreHTTPSErrors` and the like
   */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
  /** What went wrong in the pages of this test: uncaught errors, and what the browser or a script wrote as an error. */
  errors: string[];
}

/**
 * One browser for the tests of a file or `describe`, which have the tag `chromium`.
 *
 * @example const browser = useBrowser();
 * it('…', async () => { const page = await browser.open(url); … });
 */
export function useBrowser(): TestBrowser {
  let launched: Browser | undefined;
  const errors: string[] = [];
  beforeAll(async () => {
    launched = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  });
  beforeEach(() => {
    errors.length = 0;
  });
  afterAll(() => launched?.close());
  return {
    errors,
    async open(url, options) {
      const context = await (launched as Browser).newContext(options);
      cleanUpLater(() => context.close());
      context.on('weberror', (error) => errors.push(error.error().message));
      context.on('console', (message: ConsoleMessage) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      const page = await context.newPage();
      await page.goto(url);
      return page;
    },
  };
}
