#!/usr/bin/env node
import module from 'node:module';

// From Node 22.1 on, a second start compiles nothing: the types are those of Node 20.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

const { main } = await import('./cli.ts');
await main(process.argv.slice(2));
