// @module-tag chromium
/** The inspector of the packed program, in a browser. */
import { expect, it } from 'vitest';
import { startBinary } from '../support/binary.ts';
import { useBrowser } from '../support/browser.ts';
import { PROJECT_URL } from '../support/gate.ts';
import { freePort } from '../support/target.ts';

const browser = useBrowser();

it('opens by its link, and goes on when the gate comes back', { tags: 'slow' }, async () => {
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
