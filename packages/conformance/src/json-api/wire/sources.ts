import type { StorageClient } from './client.js';
import { etagOf } from './multipart.js';

type Headers = Readonly<Record<string, string>>;

const OTHER = '00000000000000000000000000000000';
const SINCE = {
  unmodified: ['x-svc-copy-source-if-unmodified-since', 'x-svc-copy-source-if-unmodifed-since'],
  modified: ['x-svc-copy-source-if-modified-since', 'x-svc-copy-source-if-modifed-since'],
};
const MATCH = 'x-svc-copy-source-if-match';
const NONE_MATCH = 'x-svc-copy-source-if-none-match';

/** Conditions on a source that hold, and such that do not, in both spellings of the interface. */
export async function conditionRows(storage: StorageClient, source: string) {
  const head = (await storage.head(source)).is(200);
  const etag = etagOf(head);
  const changed = Date.parse(head.header('last-modified') ?? '');
  const at = (seconds: number) => new Date(changed + seconds * 1000).toUTCString();
  const met: Headers[] = [
    { [MATCH]: etag },
    { [MATCH]: `"${etag}"` },
    { [MATCH]: '*' },
    { [MATCH]: `"${OTHER}", "${etag}"` },
    { [NONE_MATCH]: OTHER },
    { [NONE_MATCH]: `"${OTHER}"` },
  ];
  const unmet: Headers[] = [
    { [MATCH]: OTHER },
    { [MATCH]: `"${OTHER}"` },
    { [NONE_MATCH]: etag },
    { [NONE_MATCH]: `"${etag}"` },
    { [NONE_MATCH]: '*' },
    { [MATCH]: etag, [NONE_MATCH]: etag },
  ];
  for (const name of SINCE.unmodified) {
    met.push({ [name]: at(0) }, { [name]: at(1) }, { [name]: 'no date' });
    unmet.push({ [name]: at(-1) });
  }
  for (const name of SINCE.modified) {
    met.push({ [name]: at(-1) }, { [name]: 'no date' });
    unmet.push({ [name]: at(0) }, { [name]: at(3600) });
  }
  return { met, unmet };
}

/** Ways to write a source, with what is behind it, and ways that are refused. */
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
