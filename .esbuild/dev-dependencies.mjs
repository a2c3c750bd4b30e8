// npm builds a git dependency without its devDependencies where it installs globally: `npm install -g git+…`, pre-commit.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const INSTALL = 'npm ci --global=false --include=dev --ignore-scripts --no-audit --no-fund';
const [npm, ...args] = INSTALL.split(' ');
if (!existsSync('node_modules/esbuild'))
  execFileSync(npm, args, { stdio: 'inherit', shell: process.platform === 'win32' });
