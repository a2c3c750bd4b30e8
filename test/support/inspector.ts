/** The inspector's page of a gate of a test. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { TestBrowser } from './browser.ts';
import type { InProcess } from './in-process.ts';

/** As the start says it, with the token where that may be said. */
export function inspectorLink({ notices }: Pick<InProcess, 'notices'>): string {
  return /inspector: (http\S+)/.exec(notices.join('\n'))?.[1] as string;
}

/** @param view `#/state` */
export async function openView(
  browser: TestBrowser,
  gate: InProcess,
  view: string,
  options?: BrowserContextOptions,
): Promise<Page> {
  const link = inspectorLink(gate);
  const page = await browser.open(link, options);
  await page.goto(new URL(`/${view}`, link).href);
  return page;
}

/** Without the refusals of the control API, which the page shows. */
export function scriptErrors({ errors }: TestBrowser): string[] {
  return errors.filter((text) => !text.startsWith('Failed to load resource'));
}
