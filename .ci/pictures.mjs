// Makes the pictures of the documents: docs/images/inspector-*.png. It needs `npm run build` and Chromium.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUT = join(ROOT, 'docs/images');
const PROJECTS = '/api/v2/accounts/current/projects';
const environment = (id, name, isEnabled = false) => ({ id, name, isEnabled });
const PROJECT = {
  name: 'Checkout',
  languages: ['NODEJS', 'PYTHON'],
  environments: [
    environment(1, 'Production', true),
    environment(2, 'Staging'),
    environment(3, 'Development'),
  ],
};
const LOSSY = { ...PROJECT, languages: ['NODEJS'], environments: PROJECT.environments.slice(0, 2) };

const cwd = mkdtempSync(join(tmpdir(), 'patchgate-'));
const programs = [];

/** Starts the program and waits for what it says. */
function start(pattern, ...args) {
  const program = spawn(process.execPath, [join(ROOT, 'dist/cli.js'), ...args, '--port', '0'], { cwd });
  programs.push(program);
  return new Promise((resolve, reject) => {
    let said = '';
    const read = (chunk) => {
      said += chunk;
      const found = pattern.exec(said);
      if (found) resolve(found);
    };
    program.stdout.on('data', read);
    program.stderr.on('data', read);
    program.on('exit', () => reject(new Error(said)));
  });
}

async function send(url, method, path, body, headers = {}) {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const init = { method, headers: { ...json, ...headers } };
  if (body !== undefined) init.body = JSON.stringify(body);
  return (await fetch(url + path, init)).json();
}

try {
  const [, fake] = await start(/listens on (\S+)/, 'fake');
  const [, link, url] = await start(/inspector: (\S+)[\s\S]*listens on (\S+)/, 'proxy', fake, '--ui', '0');
  await send(url, 'GET', `${PROJECTS}/42`);
  await send(url, 'PATCH', `${PROJECTS}/42`, PROJECT);
  await send(url, 'PATCH', '/api/v2/accounts/current/features/7', {
    name: 'Banner',
    variables: [{ id: 1, dataType: 'float', defaultValue: 'high' }],
  });
  await send(url, 'PATCH', `${PROJECTS}/42`, { name: 'Checkout' });
  await send(url, 'PATCH', '/api/v2/accounts/current/drafts/9', { name: 'Checkout button' });
  const { approve } = await send(url, 'PATCH', `${PROJECTS}/42`, {
    ...PROJECT,
    environments: [PROJECT.environments[0], PROJECT.environments[2]],
  });
  await send(
    url,
    'PATCH',
    `${PROJECTS}/42`,
    { ...PROJECT, environments: [PROJECT.environments[0], PROJECT.environments[2]] },
    { 'patchgate-approve': approve },
  );
  await send(url, 'PATCH', `${PROJECTS}/42`, PROJECT);
  await send(url, 'GET', `${PROJECTS}/42`);
  await send(url, 'PATCH', `${PROJECTS}/42`, LOSSY);

  const browser = await chromium.launch({
    executablePath: ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((file) =>
      existsSync(file),
    ),
    args: ['--no-sandbox'],
  });
  const shoot = async (name, hash, options) => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(link);
    await page.getByRole('option').first().waitFor();
    await page.goto(new URL(`/${hash}`, link).href);
    // The comparison comes last.
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(OUT, `inspector-${name}.png`) });
    await context.close();
  };
  const wide = { viewport: { width: 1280, height: 760 } };
  await shoot('list', '#/', wide);
  await shoot('exchange', '#/exchanges/10', wide);
  await browser.close();
} finally {
  for (const program of programs) program.kill();
}
