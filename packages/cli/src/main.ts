#!/usr/bin/env node
import { run } from './index.js';

// Whoever reads the output may have seen enough, as in `bucketware ls | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await run(process.argv.slice(2));
