import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../simulator/random.js';
import { inspect } from './inspect.js';
import { type Bounds, Load } from './load.js';
import { CleanUp, mount, sh } from './machine.js';
import { startServer } from './process.js';

export interface ImageRow {
  readonly fileSystem: string;
  readonly durability: 'full' | 'relaxed';
  readonly seed: number;
  readonly images: number;
  readonly acknowledged: number;
  /** Images that break a promise. */
  readonly broken: number;
  readonly missing: number;
  /** Images with a blob that nothing refers to. */
  readonly withOrphans: number;
  readonly examples: readonly string[];
}

export interface ImageOptions {
  readonly fileSystem: 'ext4' | 'btrfs' | 'xfs';
  readonly durability: 'full' | 'relaxed';
  readonly images: number;
  readonly seed: number;
  readonly work: string;
}

const MAKE = {
  ext4: ['mkfs.ext4', '-q', '-F'],
  btrfs: ['mkfs.btrfs', '-q', '-f'],
  xfs: ['mkfs.xfs', '-q', '-f'],
} as const;

/**
 * Simulates power cuts while the server writes to a disk. A reflink copy of the disk's image has
 * what the kernel had sent to the disk at that moment, and nothing that was only in memory.
 */
export async function cutImages(options: ImageOptions): Promise<ImageRow> {
  const { fileSystem, durability, images, seed, work } = options;
  const cleanUp = new CleanUp();
  try {
    const shelf = `${work}/shelf`;
    await sh('truncate', '-s', '8G', `${work}/shelf.img`);
    cleanUp.add(() => sh('rm', '-f', `${work}/shelf.img`));
    await sh('mkfs.xfs', '-q', '-f', '-m', 'reflink=1', `${work}/shelf.img`);
    await mount(cleanUp, shelf, '-o', 'loop', `${work}/shelf.img`);
    const disk = `${shelf}/disk.img`;
    await sh('truncate', '-s', '600M', disk);
    await sh(...(MAKE[fileSystem] as readonly string[] as [string, ...string[]]), disk);
    const place = `${work}/disk`;
    const unmount = await mount(cleanUp, place, '-o', 'loop', disk);

    const load = new Load(new Random(seed));
    const server = await startServer(`${place}/data`, { durability });
    cleanUp.add(() => server.kill());
    await load.prepare(server.origin);
    let over = false;
    const working = load.run(server.origin, 10, () => over);
    await sleep(500);
    const cuts: Bounds[] = [];
    const random = new Random(seed + 1);
    for (let index = 0; index < images; index++) {
      await sleep(20 + random.below(120));
      const answered = load.answeredNow();
      await sh('cp', '--reflink=always', disk, `${shelf}/cut${index}.img`);
      cuts.push(load.bounds(answered));
    }
    over = true;
    await working;
    await server.kill();
    await unmount();

    const row = { broken: 0, missing: 0, withOrphans: 0, examples: [] as string[] };
    const nouuid = fileSystem === 'xfs' ? ',nouuid' : '';
    for (const [index, bounds] of cuts.entries()) {
      const undo = new CleanUp();
      try {
        await mount(undo, place, '-o', `loop${nouuid}`, `${shelf}/cut${index}.img`);
        const found = await inspect(`${place}/data`, load, bounds);
        if (found.broken.length > 0) row.broken++;
        row.missing += found.missing;
        if (found.orphans > 0) row.withOrphans++;
        row.examples.push(...found.broken.slice(0, 1));
      } catch (error) {
        row.broken++;
        row.examples.push(String((error as Error).message));
      } finally {
        await undo.run();
      }
      await sh('rm', '-f', `${shelf}/cut${index}.img`);
    }
    const examples = row.examples.slice(0, 3).map((text) => text.slice(0, 200));
    const { acknowledged } = load;
    return { fileSystem, durability, seed, images, acknowledged, ...row, examples };
  } finally {
    await cleanUp.run();
  }
}
