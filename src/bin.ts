#!/usr/bin/env node
import module from 'node:module';

// From Node 22.1 on, a second start compiles nothing: the types are those of Node 20.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

// Not awaited: Node 22 would warn of what a config file awaits without end.
void import('./cli.ts').then(({ main }) => main(process.argv.slice(2)));
