// npm runs this after `npm ci`, and for whoever installs the package from git. There, `npm install --global` leaves out what a build
// needs, so that is installed first.

import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (!['rolldown', 'typescript', 'preact'].every((name) => existsSync(`node_modules/${name}`)))
  execSync('npm ci --global=false --include=dev --ignore-scripts --no-audit --no-fund', { stdio: 'inherit' });
await import('./build.mjs');
