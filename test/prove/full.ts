import { writeFile } from 'node:fs/promises';
import { Random } from '../simulator/random.js';
import { failingReads, inspect } from './inspect.js';
import { Load } from './load.js';
import { CleanUp, mount, sh } from './machine.js';
import { startServer } from './process.js';

export interface FullRow {
  readonly what: string;
  readonly seed: number;
  readonly acknowledged: number;
  /** Responses while the disk was full, by status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Reads of acknowledged data that failed while the disk was full. */
  readonly failedReads: number;
  /** Whether writes succeeded again without a restart, once there was space. */
  readonly worksAgain: boolean;
  readonly broken: number;
  readonly missing: number;
  readonly orphans: number;
  readonly examples: readonly string[];
}

/** Fills a small disk with data or with files, and then frees the space. */
export async function fillDisk(
  work: string,
  what: 'bytes' | 'inodes',
  seed: number,
): Promise<FullRow> {
  const cleanUp = new CleanUp();
  try {
    const place = `${work}/full`;
    const options = what === 'bytes' ? 'size=24m' : 'size=400m,nr_inodes=330';
    await mount(cleanUp, place, '-t', 'tmpfs', '-o', options, 'tmpfs');
    const load = new Load(new Random(seed));
    const server = await startServer(`${place}/data`);
    cleanUp.add(() => server.kill());
    await load.prepare(server.origin);
    if (what === 'bytes') await writeFile(`${place}/balloon`, Buffer.alloc(21 << 20));

    const fill = async () => {
      for (let count = 0; count < 500; count++) await load.one(server.origin, `k${count % 90}/0`);
    };
    let failure = '';
    await fill().catch((error: Error) => {
      failure = error.message;
    });
    const answers = Object.fromEntries(load.refusals);
    load.refusals.clear();
    const failedReads = await failingReads(server.origin, load);

    if (what === 'bytes') await sh('rm', `${place}/balloon`);
    else await sh('mount', '-o', 'remount,nr_inodes=4000', place);
    const statuses: number[] = [];
    for (let count = 0; count < 20; count++) {
      statuses.push(await load.one(server.origin, `n${count}/0`).catch(() => 0));
    }
    const worksAgain = statuses.every((status) => status >= 200 && status < 300);
    await server.kill();
    const found = await inspect(`${place}/data`, load, load.bounds(load.answeredNow()));
    const lines = server.errors.join('').split('\n');
    const strange = [...new Set(lines.filter((line) => !/ENOSPC|^$|^\s/.test(line)))].slice(0, 3);
    const examples = [
      ...strange,
      ...found.broken.slice(0, 3),
      ...(failure === '' ? [] : [failure]),
    ];
    const counts = { broken: found.broken.length, missing: found.missing, orphans: found.orphans };
    const { acknowledged } = load;
    return { what, seed, acknowledged, answers, failedReads, worksAgain, ...counts, examples };
  } finally {
    await cleanUp.run();
  }
}
