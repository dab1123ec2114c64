#!/usr/bin/env node
import { report } from './failures.js';
import { run } from './index.js';

const args = process.argv.slice(2);

// The reader of the output may stop early, as in `bucketware ls | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  const failure = new Error(`The output could not be written: ${error.message}.`, { cause: error });
  report(failure, args.includes('--json'));
  process.exit(1);
});

process.exitCode = await run(args);
