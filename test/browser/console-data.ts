import { crc32, deflateSync } from 'node:zlib';
import type { ObjectStorage } from '@bucketware/core';
import { alice } from '../http/servers.js';

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}

/** A landscape as a PNG: a sky, a sun and two hills. */
export function picture(width = 480, height = 270): Buffer {
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const far = height * 0.62 + 26 * Math.sin(x / 70);
      const near = height * 0.8 + 30 * Math.sin(x / 110 + 2);
      const isSun = Math.hypot(x - width * 0.72, y - height * 0.34) < height * 0.12;
      const shade = y / height;
      const sky = [250 - 60 * (1 - shade), 214 - 40 * shade, 170 + 60 * (1 - shade)];
      const colour =
        y > near ? [54, 84, 92] : y > far ? [98, 132, 136] : isSun ? [255, 244, 214] : sky;
      rows.set(colour, y * (1 + 3 * width) + 1 + 3 * x);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = chunk('IDAT', deflateSync(rows));
  return Buffer.concat([signature, chunk('IHDR', header), data, chunk('IEND', Buffer.alloc(0))]);
}

const KIB = 1024;

const FILES: readonly (readonly [key: string, size: number])[] = [
  ...([2400, 1800, 3100, 900, 2750] as const).map(
    (kib, at) => [`2025/harbour/IMG_${4012 + at}.jpg`, kib * KIB] as const,
  ),
  ...([4200, 3900, 2100] as const).map(
    (kib, at) => [`2026/mountains/IMG_${5230 + at}.jpg`, kib * KIB] as const,
  ),
  ['2026/mountains/route.gpx', 86 * KIB],
  ['drafts/contact sheet.pdf', 640 * KIB],
  ['drafts/old/contact sheet.pdf', 610 * KIB],
  ['prints/order-118.csv', 3 * KIB],
];

const README = `# Photos

The originals are below the year in which they were taken.
Drafts are removed after 30 days.
`;

/** Creates what the pictures in the docs show. */
export async function fill(storage: ObjectStorage, bucket: string): Promise<void> {
  const mine = storage.as(alice);
  await mine.putBucket({ bucket: 'backups' });
  await mine.putBucket({ bucket: 'website' });
  for (const [key, size] of FILES) {
    await mine.putObject({ bucket, key, body: Buffer.alloc(size, key) });
  }
  const image = { contentType: 'image/png', metadata: { camera: 'X100', place: 'Lofoten' } };
  await mine.putObject({ bucket, key: 'cover.png', body: picture(), ...image });
  await mine.putObject({ bucket, key: 'README.md', body: README, contentType: 'text/markdown' });
  await mine.putObject({ bucket, key: 'contracts.zip', body: Buffer.alloc(1300 * KIB) });
  await mine.putObject({ bucket: 'backups', key: 'monday.tar', body: Buffer.alloc(9200 * KIB) });
  await mine.putObject({ bucket: 'website', key: 'index.html', body: '<h1>Hello</h1>' });
  await mine.initiateMultipartUpload({ bucket, key: '2026/film/reel-1.mov' });
  const accessControlList = [
    {
      grantee: [{ id: 'u-bob' }],
      permission: ['READ' as const, 'WRITE' as const],
      resource: [`${bucket}/drafts/*`],
    },
    { grantee: [{ id: '*' }], permission: ['READ' as const], resource: [`${bucket}/prints/*`] },
  ];
  await mine.putBucketAcl({ bucket, accessControlList });
  const site = { allowedOrigins: ['https://acme.example'], allowedMethods: ['GET', 'PUT'] };
  await mine.putBucketCors({
    bucket,
    corsConfiguration: [{ ...site, allowedHeaders: ['*'], allowedExposeHeaders: ['ETag'] }],
  });
  const drafts = { status: 'enabled' as const, resource: [`${bucket}/drafts/*`] };
  await mine.putBucketLifecycle({
    bucket,
    rule: [
      { ...drafts, id: 'drafts', expires: { afterDays: 30 }, action: 'DeleteObject' },
      {
        ...drafts,
        id: 'left',
        resource: [`${bucket}/`],
        expires: { afterDays: 7 },
        action: 'AbortMultipartUpload',
      },
    ],
  });
}
