import { getLarge } from './benchmarks/get-large.js';
import { getSmall } from './benchmarks/get-small.js';
import { large } from './benchmarks/large.js';
import { lifecycle } from './benchmarks/lifecycle.js';
import { list } from './benchmarks/list.js';
import { mixed } from './benchmarks/mixed.js';
import { noBytesMoved } from './benchmarks/no-bytes-moved.js';
import { parallel } from './benchmarks/parallel.js';
import { putSmall } from './benchmarks/put-small.js';
import { keyv } from './keyv.js';
import { type Row, table } from './report.js';

/** Each yields its rows; the names are those of the command line. */
const benchmarks: Readonly<Record<string, () => AsyncIterable<Row>>> = {
  'put-small': putSmall,
  'get-small': getSmall,
  'get-large': getLarge,
  list,
  large,
  parallel,
  mixed,
  'no-bytes-moved': noBytesMoved,
  lifecycle,
  keyv,
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(benchmarks);
const unknown = names.find((name) => !Object.hasOwn(benchmarks, name));
if (unknown !== undefined) {
  console.error(`There is no benchmark ${unknown}: ${Object.keys(benchmarks).join(', ')}.`);
  process.exit(1);
}

const rows: Row[] = [];
for (const name of names) {
  for await (const row of benchmarks[name]?.() ?? []) {
    rows.push(row);
    console.error(`${row.benchmark}: ${row.what}: ${row.ours}`);
  }
}
console.log(table(rows));
