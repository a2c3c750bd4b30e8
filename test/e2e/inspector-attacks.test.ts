// @module-tag chromium
/** Pages that would read or change what the inspector shows, in a browser in which it is open. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { startTarget, type Target } from '../support/target.ts';

const browser = useBrowser();

/** Tries all that a page can; `window.attack` has what came of each. It knows the addresses, but no token. */
const ATTACK = `
  const attack = async (inspector, gate) => {
    const came = {};
    const attempt = async (name, act) => {
      came[name] = await Promise.resolve().then(act).catch((error) => error.name);
    };
    const load = (tag, attributes) => new Promise((resolve) => {
      const element = document.createElementNS('http://www.w3.org/1999/xhtml', tag);
      element.onload = () => resolve(element);
      element.onerror = () => resolve(undefined);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      document.documentElement.append(element);
    });
    const bearer = { Authorization: 'Bearer 0123456789abcdef0123456789abcdef' };
    await attempt('read', () => fetch(inspector + '/__patchgate/exchanges').then((got) => got.text()));
    await attempt('read with a token', () => fetch(inspector + '/__patchgate/exchanges', { headers: bearer }).then((got) => got.text()));
    await attempt('read the page', () => fetch(inspector).then((got) => got.text()));
    await attempt('read unseen', () => fetch(inspector, { mode: 'no-cors' }).then((got) => got.text()));
    await attempt('change', () => fetch(inspector + '/__patchgate/reset', { method: 'POST', mode: 'no-cors' }).then((got) => got.text()));
    await attempt('send', () => fetch(inspector + '/__patchgate/send', { method: 'POST', mode: 'no-cors', body: '{"method":"DELETE","url":"/"}' }).then((got) => got.text()));
    await attempt('listen', () => new Promise((resolve) => {
      const events = new EventSource(inspector + '/__patchgate/events');
      events.onopen = () => resolve('open');
      events.onerror = () => resolve('error');
    }));
    await attempt('speak', () => new Promise((resolve) => {
      const socket = new WebSocket(inspector.replace('http', 'ws') + '/__patchgate/events');
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve('error');
    }));
    await attempt('run its script', async () => ((await load('script', { src: inspector + '/app.js' })) ? 'loaded' : 'error'));
    await attempt('wear its style', async () => ((await load('link', { rel: 'stylesheet', href: inspector + '/style.css' })) ? 'loaded' : 'error'));
    await attempt('frame', async () => {
      const frame = await load('iframe', { src: inspector });
      return frame.contentWindow.document.body.innerText;
    });
    await attempt('post a form', async () => {
      const frame = await load('iframe', { name: 'answer' });
      const form = document.createElementNS('http://www.w3.org/1999/xhtml', 'form');
      form.method = 'POST';
      form.action = inspector + '/__patchgate/reset';
      form.target = 'answer';
      document.documentElement.append(form);
      const answered = new Promise((resolve) => { frame.onload = resolve; });
      form.submit();
      await answered;
      return frame.contentWindow.document.body.innerText;
    });
    await attempt('take over', () => navigator.serviceWorker.register('/worker.js').then(() => 'registered'));
    await attempt('take over from there', () => navigator.serviceWorker.register(inspector + '/app.js').then(() => 'registered'));
    await attempt('read from the gate', () => fetch(gate + '/__patchgate/exchanges').then((got) => got.status));
    await attempt('change by the gate', () => fetch(gate + '/__patchgate/reset', { method: 'POST', mode: 'no-cors' }).then((got) => got.status));
    return came;
  };
`;

const NOTHING = {
  read: 'TypeError',
  'read with a token': 'TypeError',
  'read the page': 'TypeError',
  'read unseen': 'TypeError',
  change: 'TypeError',
  send: 'TypeError',
  listen: 'error',
  speak: 'error',
  'run its script': 'error',
  'wear its style': 'error',
  frame: 'SecurityError',
  'post a form': 'SecurityError',
  'take over from there': 'SecurityError',
};
/** Of the gate's own origin: the control API there is closed to pages. */
const FROM_THE_GATE = {
  ...NOTHING,
  'take over': 'TypeError',
  'read from the gate': 403,
  'change by the gate': 403,
};
/** Its worker is one of its own origin. */
const FROM_ELSEWHERE = {
  ...NOTHING,
  'take over': 'registered',
  'read from the gate': 'TypeError',
  'change by the gate': 0,
};

const PAGES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/page.html': ['text/html', `<!doctype html><title>attack</title><script>${ATTACK}</script>`],
  '/worker.js': [
    'text/javascript',
    'self.onfetch = (event) => event.respondWith(new Response("taken over"))',
  ],
};

let target: Target;
let elsewhere: Target;
let gate: InProcess;
/** With its token. */
let link: string;
let inspector: string;

beforeAll(async () => {
  const answer: Parameters<typeof startTarget>[0] = (req, res) => {
    const [type, body] = PAGES[req.url ?? ''] ?? ['text/plain', 'none'];
    res.setHeader('Content-Type', type).end(body);
  };
  target = await startTarget(answer);
  elsewhere = await startTarget(answer);
  gate = await startGate({ target: target.url, ui: 0, fault: ['GET /never status=503'] as never });
  link = /http:\S+/.exec(gate.notices.join('\n'))?.[0] as string;
  inspector = new URL(link).origin;
  await fetch(`${gate.url}/first`);
});

/** Opens the inspector, and a page beside it in the same browser. */
async function openBeside(url: string): Promise<{ own: Page; other: Page }> {
  const own = await browser.open(link);
  await own.getByText('/first').first().waitFor();
  const other = await own.context().newPage();
  await other.goto(url);
  return { own, other };
}

function attackFrom(page: Page): Promise<unknown> {
  return page.evaluate(`attack(${JSON.stringify(inspector)}, ${JSON.stringify(gate.url)})`);
}

async function expectUnchanged(own: Page): Promise<void> {
  const listed = [...gate.gate.exchanges.list()].map(({ request }) => request.url);
  expect(listed).toContain('/first');
  expect(new Set(target.received.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(gate.gate.faults.list()).toHaveLength(1);
  // The page goes on.
  await fetch(`${gate.url}/last`);
  await own.getByText('/last').first().waitFor();
  expect(await own.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.length)')).toBe(0);
}

describe('while the inspector is open', { tags: 'slow' }, () => {
  it.each([
    ['an HTML page of the target', () => `${gate.url}/page.html`, FROM_THE_GATE],
    ['a page of another site', () => `http://evil.localhost:${elsewhere.port}/page.html`, FROM_ELSEWHERE],
  ])('%s reads and changes nothing', async (_, url, expected) => {
    const { own, other } = await openBeside(url());
    expect(await attackFrom(other)).toEqual(expected);
    const [, ...frames] = other.frames();
    expect(frames.map((frame) => frame.url())).toContain('chrome-error://chromewebdata/');
    expect(frames.filter((frame) => frame.url() === `${inspector}/`)).toEqual([]);
    await expectUnchanged(own);
  });

  it('a page whose name was made to lead to its port reads nothing', async () => {
    const { port, hash } = new URL(link);
    const name = `http://evil.localhost:${port}`;
    const own = await browser.open(link);
    const other = await own.context().newPage();
    // Its first answer came from elsewhere, before the name led here.
    await other.route(`${name}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>evil</title>' }),
    );
    await other.goto(`${name}/`);
    const ask = (path: string, headers = {}) =>
      other.evaluate(
        async ([path, headers]) => {
          const got = await fetch(path, { headers });
          return `${got.status} ${await got.text()}`;
        },
        [path, headers] as const,
      );
    expect(await ask('/app.js')).toMatch(/^421 /);
    expect(await ask('/__patchgate/exchanges')).toMatch(/^421 /);
    const bearer = { Authorization: `Bearer ${hash.slice('#token='.length)}` };
    expect(await ask('/__patchgate/exchanges', bearer)).toMatch(/^421 /);
    await expectUnchanged(own);
  });

  it('a link from elsewhere is opened without a token, and out of reach', async () => {
    const { own, other } = await openBeside(`${elsewhere.url}/page.html`);
    const opened = own.context().waitForEvent('page');
    await other.evaluate(`void (window.opened = window.open(${JSON.stringify(`${inspector}/#/approvals`)}))`);
    const page = await opened;
    await page.getByLabel('Token').waitFor();
    expect(await other.evaluate('window.opened.closed')).toBe(true);
    expect(await page.evaluate('window.opener')).toBe(null);
    await expectUnchanged(own);
  });
});

it('the inspector takes its token out of the address, and keeps it in its tab', {
  tags: 'slow',
}, async () => {
  const page = await browser.open(link);
  await page.getByText('/first').first().waitFor();
  expect(page.url()).toBe(`${inspector}/#/`);
  // The browser itself sees to it that texts are no markup.
  const inject = `try { document.body.innerHTML = '<b>x</b>' } catch (error) { error.name }`;
  expect(await page.evaluate(inject)).toBe('TypeError');
  await page.reload();
  await page.getByText('/first').first().waitFor();
  const tab = await page.context().newPage();
  await tab.goto(`${inspector}/#/approvals`);
  await tab.getByLabel('Token').fill('wrong');
  await tab.getByRole('button').click();
  await tab.getByRole('alert').getByText('does not take this token').waitFor();
  await tab.getByLabel('Token').fill(new URL(link).hash.slice('#token='.length));
  await tab.getByRole('button').click();
  await tab.getByRole('heading', { name: 'Approvals', exact: true }).waitFor();
  expect(await page.context().cookies()).toEqual([]);
  expect(await page.evaluate('localStorage.length')).toBe(0);
});
