import { randomBytes } from 'node:crypto';
import { BlobDamagedError } from '@bucketware/core';
import test from 'ava';
import {
  bucket,
  type DamageableStorage,
  type Named,
  openDamageable,
} from '../http/bit-rot-fixtures.js';
import { carriers } from '../http/carriers.js';
import { call } from '../http/raw.js';
import { listen } from '../http/servers.js';
import { uploadOf } from '../http/soundness.js';

const PART = 102_400;

/** How the data of an object is stored. Each function returns the correct content. */
const kinds: Readonly<Record<string, (place: DamageableStorage, key: string) => Promise<Buffer>>> =
  {
    async inline({ storage }, key) {
      const body = randomBytes(1 + Math.floor(Math.random() * 1000));
      await storage.putObject({ bucket, key, body });
      return body;
    },
    async 'one blob'({ storage }, key) {
      const body = randomBytes(5000);
      await storage.putObject({ bucket, key, body });
      return body;
    },
    async 'one large blob'({ storage }, key) {
      const body = randomBytes(700_000);
      await storage.putObject({ bucket, key, body });
      return body;
    },
    async 'two parts'({ storage }, key) {
      const bodies = [randomBytes(PART), randomBytes(2000)];
      await (await uploadOf(storage, bucket, key, bodies)).complete();
      return Buffer.concat(bodies);
    },
    async appended(place, key) {
      const bodies = [4000, 300, 5000, 7, 1].map((size) => randomBytes(size));
      let end = 0;
      for (const [at, body] of bodies.entries()) {
        await place.storage.appendObject({ bucket, key, body, ...(at > 0 ? { offset: end } : {}) });
        end += body.length;
        if (at === 1) await place.reopen(); // What follows goes to another segment.
      }
      return Buffer.concat(bodies);
    },
    async 'a manifest'({ storage }, key) {
      const bodies = Array.from({ length: 70 }, () => randomBytes(PART));
      await (await uploadOf(storage, bucket, key, bodies)).complete();
      return Buffer.concat(bodies);
    },
    async 'a copied range'({ storage }, key) {
      const { source, body } = await large(storage, key);
      const { upload } = await uploadOf(storage, bucket, key, []);
      const from = { bucket, key: source };
      const range = 'bytes=1000-250000';
      const { etag: eTag } = await storage.uploadPartCopy({
        ...upload,
        partNumber: 1,
        source: from,
        range,
      });
      await storage.completeMultipartUpload({ ...upload, parts: [{ partNumber: 1, eTag }] });
      await storage.deleteObject({ bucket, key: source });
      return body.subarray(1000, 250_001);
    },
  };

async function large(storage: DamageableStorage['storage'], key: string) {
  const body = randomBytes(700_000);
  const source = `${key} source`;
  await storage.putObject({ bucket, key: source, body });
  return { source, body };
}

interface Made {
  readonly key: string;
  readonly body: Buffer;
  readonly segments: readonly Named[];
  /** The damaged segment. */
  readonly hit?: Named;
}

/** Creates many objects of all kinds. Half of each kind is damaged by one bit per object. */
async function fill(place: DamageableStorage): Promise<Made[]> {
  const made: Made[] = [];
  for (const [kind, make] of Object.entries(kinds)) {
    const count = kind === 'a manifest' ? 4 : 32;
    for (let at = 0; at < count; at++) {
      const key = `${kind}/${at}`;
      const body = await make(place, key);
      const segments = await place.segmentsOf(key);
      const object = { key, body, segments };
      if (at >= count / 2) made.push(object);
      else {
        const hit = segments[Math.floor(Math.random() * segments.length)] as Named;
        await place.flip(hit);
        made.push({ ...object, hit });
      }
    }
  }
  return made;
}

test('a scrub finds objects with one wrong bit among hundreds, and no client receives them as complete', async (t) => {
  const place = await openDamageable();
  t.teardown(place.close);
  const made = await fill(place);
  const damaged = made.filter(({ hit }) => hit !== undefined);
  t.true(damaged.length > 90);
  const { upload } = await uploadOf(place.storage, bucket, 'upload', ['x', 'y', 'z']);
  const [part] = await place.segmentsOf('', `p/${upload.uploadId}/00002`);
  await place.flip(part as Named);
  const before = await place.storage.check();

  for (const name of ['koa', 'express5'] as const) {
    await place.reopen();
    place.reported.length = 0;
    const { origin, close } = await listen(
      carriers[name](place.storage, { authorize: () => true }),
    );
    t.teardown(close);
    const path = (key: string) => `/${bucket}/${encodeURIComponent(key)}`;
    for (const { key, body, segments, hit } of made) {
      if (hit === undefined) {
        const { status, body: found } = await call(origin, 'GET', path(key));
        t.true(status === 200 && found.equals(body), key);
        continue;
      }
      const ranged = async (start: number, end: number) => {
        const headers = { range: `bytes=${start}-${end - 1}` };
        return (await call(origin, 'GET', path(key), { headers })).body;
      };
      for (let at = 0, start = 0; at < segments.length; start += segments[at++]?.length ?? 0) {
        const { blob, length } = segments[at] as Named;
        if (blob === hit.blob || at % 9 > 1) continue;
        const end = start + length;
        t.true((await ranged(start, end)).equals(body.subarray(start, end)), `${key}: ${at}`);
      }
      t.is((await call(origin, 'HEAD', path(key))).status, 200);
      t.is(place.reported.length, 0);

      const found = await call(origin, 'GET', path(key)).catch((error) => error.code as string);
      const error = place.reported.splice(0)[0];
      t.true(error instanceof BlobDamagedError);
      const { damage } = error as BlobDamagedError;
      t.deepEqual(
        [damage.bucket, damage.key, damage.blob, damage.problem],
        [bucket, key, hit.blob, 'damaged'],
      );
      // Damage in the first chunk is noticed before the response begins.
      const early = hit === segments[0] && hit.length <= 262_144;
      if (!early) t.is(found, 'ECONNRESET', key);
      else {
        t.is(typeof found === 'string' ? found : found.status, 500, key);
        const text = typeof found === 'string' ? found : found.text;
        t.is(JSON.parse(text).code, 'InternalError');
        t.false(text.includes(hit.blob));
      }
    }
  }

  place.reported.length = 0;
  const report = await place.storage.scrub();
  const nameOf = (damage: { key: string; blob: string }) => `${damage.key} ${damage.blob}`;
  const wanted = damaged.map(({ key, hit }) => nameOf({ key, blob: (hit as Named).blob }));
  wanted.push(nameOf({ key: 'upload', blob: (part as Named).blob }));
  t.deepEqual(report.damaged.map(nameOf).sort(), wanted.sort());
  t.is(report.found, wanted.length);
  t.is(report.objects, made.length);
  t.is(report.parts, 3);
  t.is(report.next, undefined);
  t.true(report.damaged.every(({ problem }) => problem === 'damaged'));
  const reported = place.reported.map((error) => (error as BlobDamagedError).damage);
  t.deepEqual(reported, [...report.damaged]);
  const ofUpload = report.damaged.find(({ key }) => key === 'upload');
  t.deepEqual([ofUpload?.uploadId, ofUpload?.partNumber], [upload.uploadId, 2]);
  t.deepEqual(await place.storage.check(), before);
  t.deepEqual([before.missing, before.objects], [[], made.length]);
});
