import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PACKAGES: Readonly<Record<string, string>> = {
  postgres: 'postgresql',
  initdb: 'postgresql',
  nginx: 'nginx',
  radosgw: 'radosgw',
  'ceph-mon': 'ceph-mon',
  'ceph-mgr': 'ceph-mgr',
  'ceph-osd': 'ceph-osd',
  ceph: 'ceph-common',
};

/** The path of a program. On Debian, the programs of PostgreSQL are not in `PATH`. */
export async function findProgram(name: string): Promise<string | undefined> {
  const versions = await readdir('/usr/lib/postgresql').catch((): string[] => []);
  const places = versions.toSorted().map((version) => `/usr/lib/postgresql/${version}/bin`);
  const path = (process.env.PATH ?? '').split(':');
  for (const place of [...places.reverse(), ...path, '/usr/sbin']) {
    const names = await readdir(place).catch((): string[] => []);
    if (names.includes(name)) return join(place, name);
  }
  return undefined;
}

/** Why the programs cannot be used here; `undefined` if they can. */
export async function missing(...names: readonly string[]): Promise<string | undefined> {
  const found = await Promise.all(names.map(findProgram));
  const lacking = names.filter((_, index) => found[index] === undefined);
  if (lacking.length === 0) return undefined;
  const packages = new Set(lacking.map((name) => PACKAGES[name] ?? name));
  return `${lacking.join(', ')} not found. On Debian: apt-get install ${[...packages].join(' ')}`;
}

const execute = promisify(execFile);

/** Runs a program, and returns its output. */
export async function run(
  program: string,
  args: readonly string[],
  options: { readonly uid?: number; readonly gid?: number; readonly cwd?: string } = {},
): Promise<string> {
  const path = (await findProgram(program)) ?? program;
  return (await execute(path, args, { ...options, maxBuffer: 16 * 1024 * 1024 })).stdout;
}
