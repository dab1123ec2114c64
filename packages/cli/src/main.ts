#!/usr/bin/env node
import { run } from './index.js';

// The reader of the output may stop early, as in `bucketware ls | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await run(process.argv.slice(2));
