import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const ASSETS = new URL('../assets/', import.meta.url);

interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  'console.html': 'text/html; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
  'console.svg': 'image/svg+xml',
};

const loaded = new Map<string, Promise<Asset>>();

/** A file of the page; `undefined` if there is no file with this name. */
export function assetOf(name: string): Promise<Asset> | undefined {
  if (!Object.hasOwn(TYPES, name)) return undefined;
  let asset = loaded.get(name);
  if (asset === undefined) {
    asset = load(name);
    asset.catch(() => loaded.delete(name)); // The page may be built later.
    loaded.set(name, asset);
  }
  return asset;
}

async function load(name: string): Promise<Asset> {
  const body = await readFile(new URL(name, ASSETS)).catch((cause) => {
    throw new Error('The page of the console was not built. Run npm run build.', { cause });
  });
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { type: TYPES[name] as string, body, etag };
}

/**
 * Nothing is loaded from other origins, inline scripts do not run, and other pages cannot frame it.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
