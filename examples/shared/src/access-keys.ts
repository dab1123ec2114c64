import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Principal } from '@bucketware/storage';

type AccessKeys = Readonly<
  Record<string, { readonly secret: string; readonly principal: Principal }>
>;

/** The owner of the generated pair, if `CREDENTIALS` names no file. */
export interface NewPair {
  readonly directory: string;
  readonly principal: Principal;
}

const FORM = `{
  "<access key>": {
    "secret": "<secret key>",
    "principal": { "tenantCode": "...", "tenantId": "...", "userId": "...", "userName": "..." }
  }
}`;

/**
 * Reads the access keys of clients from a JSON file. Without a file, one pair is generated and kept
 * in the data directory, readable only by this user.
 */
export async function accessKeys(
  file: string | undefined,
  { directory, principal }: NewPair,
): Promise<AccessKeys> {
  if (file !== undefined) return readKeys(file);
  const path = join(directory, 'access-keys.json');
  const accessKey = `AK${randomBytes(9).toString('hex').toUpperCase()}`;
  const keys = { [accessKey]: { secret: randomBytes(30).toString('base64url'), principal } };
  const text = `${JSON.stringify(keys, undefined, 2)}\n`;
  await mkdir(directory, { recursive: true });
  await writeFile(path, text, { mode: 0o600, flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw error; // An earlier start has created the pair.
  });
  return readKeys(path);
}

/** Error messages show nothing of the file, because it contains secrets. */
async function readKeys(path: string): Promise<AccessKeys> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new Error(`${path} cannot be read. CREDENTIALS names a JSON file:\n${FORM}`, { cause });
  });
  const keys = parse(text);
  if (isAccessKeys(keys)) return keys;
  throw new Error(`${path} is not a file of access keys. Correct it to this form:\n${FORM}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The original error would quote the text.
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isAccessKeys(value: unknown): value is AccessKeys {
  if (!isObject(value) || Object.keys(value).length === 0) return false;
  return Object.values(value).every((key) => {
    if (!isObject(key) || !isText(key.secret) || !isObject(key.principal)) return false;
    const { tenantCode, tenantId, userId, userName } = key.principal;
    return [tenantCode, tenantId, userId, userName].every(isText);
  });
}
