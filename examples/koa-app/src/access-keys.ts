import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Principal } from '@bucketware/storage';

type AccessKeys = Readonly<
  Record<string, { readonly secret: string; readonly principal: Principal }>
>;

/** Whom the generated pair belongs to, when `CREDENTIALS` names no file. */
export interface NewPair {
  readonly directory: string;
  readonly principal: Principal;
}

/**
 * The access keys of S3 clients, from a JSON file: `{ "<access key>": { "secret", "principal" } }`.
 * Without a file, one pair is made and kept in the data directory, readable only by this user.
 */
export async function accessKeys(
  file: string | undefined,
  { directory, principal }: NewPair,
): Promise<AccessKeys> {
  const path = file ?? join(directory, 'access-keys.json');
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (file !== undefined || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const accessKey = `AK${randomBytes(9).toString('hex').toUpperCase()}`;
  const keys = { [accessKey]: { secret: randomBytes(30).toString('base64url'), principal } };
  await mkdir(directory, { recursive: true });
  await writeFile(path, `${JSON.stringify(keys, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return keys;
}
