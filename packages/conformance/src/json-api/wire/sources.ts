import type { StorageClient } from './client.js';

type Headers = Readonly<Record<string, string>>;

/** Conditions on a source, in the spelling of the interface and in that of HTTP. */
export async function misspelledRows(
  storage: StorageClient,
  source: string,
): Promise<(readonly [Headers, 200 | 412])[]> {
  const head = (await storage.head(source)).is(200);
  const changed = Date.parse(head.header('last-modified') ?? '');
  const at = (seconds: number) => new Date(changed + seconds * 1000).toUTCString();
  const prefix = 'x-svc-copy-source-if';
  const rows = ['unmodified-since', 'unmodifed-since'].flatMap((name) => [
    [{ [`${prefix}-${name}`]: at(-1) }, 412] as const,
    [{ [`${prefix}-${name}`]: at(0) }, 200] as const,
  ]);
  const others = ['modified-since', 'modifed-since'].flatMap((name) => [
    [{ [`${prefix}-${name}`]: at(0) }, 412] as const,
    [{ [`${prefix}-${name}`]: at(-1) }, 200] as const,
  ]);
  return [...rows, ...others];
}

/** Ways to write a source, each with the data of the source or the expected error. */
export async function sourceRows(storage: StorageClient, bucket: string) {
  const keys = ['plain', 'a/b c', '你好/é', 'what?', '100%', 'a+b'];
  for (const key of keys) {
    const path = `/${bucket}/${encodeURIComponent(key).replaceAll('%2F', '/')}`;
    (await storage.put(path, `bytes of ${key}`)).is(200);
  }
  const raw = Buffer.from('你好/é').toString('latin1');
  const good = [
    [`/${bucket}/plain`, 'plain'],
    [`${bucket}/plain`, 'plain'],
    [`/${bucket}/a/b%20c`, 'a/b c'],
    [`/${bucket}/a/b c`, 'a/b c'],
    [`/${bucket}/a%2Fb%20c`, 'a/b c'],
    [`/${bucket}/%E4%BD%A0%E5%A5%BD/%C3%A9`, '你好/é'],
    [`/${bucket}/${raw}`, '你好/é'],
    [`/${bucket}/what%3F`, 'what?'],
    [`/${bucket}/100%25`, '100%'],
    [`/${bucket}/a+b`, 'a+b'],
    [`/${bucket}/a%2Bb`, 'a+b'],
  ] as const;
  const bad = [
    [bucket, 400, 'InvalidArgument'],
    [`/${bucket}`, 400, 'InvalidArgument'],
    [`/${bucket}/`, 400, 'InvalidArgument'],
    ['/', 400, 'InvalidArgument'],
    [`/${bucket}/plain?versionId=1`, 400, 'InvalidArgument'],
    [`/${bucket}/100%`, 400, 'InvalidArgument'],
    [`/${bucket}/%ff`, 400, 'InvalidArgument'],
    [`/${bucket}/missing`, 404, 'NoSuchKey'],
    [`/${bucket}/../${bucket}/plain`, 404, 'NoSuchKey'],
    [`/${bucket}//plain`, 404, 'NoSuchKey'],
    [`/${storage.newName()}/plain`, 404, 'NoSuchBucket'],
  ] as const;
  return { good, bad };
}
