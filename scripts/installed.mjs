#!/usr/bin/env node
// Starts the command line of the installed package under a Node that can run it. Must run on Node 20.
import { fileURLToPath } from 'node:url';
import { findRuntime, runUnder } from './runtime.mjs';

const main = new URL('../lib/moorage/src/main.js', import.meta.url);
if (findRuntime() === process.execPath) await import(main.href);
else runUnder([fileURLToPath(main), ...process.argv.slice(2)]);
