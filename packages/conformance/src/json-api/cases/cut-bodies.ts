import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import type { Answer, StorageClient, JsonWire as Wire } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

/** Ends: a half-closed connection, and one that is reset. */
const ENDINGS = {
  end: (wire: Wire) => wire.socket.end(),
  reset: (wire: Wire) => wire.socket.resetAndDestroy(),
} as const;

/** How much of a small and of a large body arrives before the connection ends. */
const SENT = [0, 1, 99, 70_000, 199_999];
const WHOLE = 200_000;

interface Upload {
  readonly path: string;
  /** Everything behind the request's first lines. */
  readonly rest: string | Uint8Array;
  readonly ending: keyof typeof ENDINGS;
}

/** Starts an upload that breaks off, and waits until the server has dealt with it. */
async function breakOff(storage: StorageClient, { path, rest, ending }: Upload): Promise<void> {
  const wire = await storage.dial();
  await wire.write(storage.opening('PUT', path));
  await wire.write(rest);
  ENDINGS[ending](wire);
  const answer: Answer | undefined = await wire.answer;
  assert.ok(answer === undefined || answer.status >= 400, `answered ${answer?.status}`);
}

const announced = (size: number, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`Content-Length: ${size}\r\n\r\n`), body]);

const chunked = (...parts: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat(
    ['Transfer-Encoding: chunked\r\n\r\n', ...parts].map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'latin1') : part,
    ),
  );

const chunk = (body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);

/** A whole upload behind the broken one: when it is answered the broken one is dealt with too. */
async function settle(storage: StorageClient, bucket: string): Promise<void> {
  (await storage.put(`/${bucket}/settled`, bytes(WHOLE))).is(200);
  (await storage.delete(`/${bucket}/settled`)).is(204);
}

async function expectOld(storage: StorageClient, bucket: string, old: Uint8Array): Promise<void> {
  await settle(storage, bucket);
  const found = (await storage.get(`/${bucket}/old`)).is(200);
  assert.ok(found.body.equals(old));
  assert.equal(found.header('x-svc-meta-who'), 'old');
  const { contents } = (await storage.get(`/${bucket}`)).is(200).json;
  assert.deepEqual(
    contents.map(({ key }: { key: string }) => key),
    ['old'],
  );
}

async function bucketWithOld(storage: StorageClient, old: Uint8Array): Promise<string> {
  const bucket = await storage.newBucket();
  (await storage.put(`/${bucket}/old`, old, { 'x-svc-meta-who': 'old' })).is(200);
  return bucket;
}

export const cases: readonly HttpRule[] = [
  ...(['end', 'reset'] as const).map(
    (ending): HttpRule => ({
      id: `cut-announced-${ending}`,
      name: `a body that is shorter than announced publishes nothing, and keeps the old object (${ending})`,
      async prove(storage) {
        const old = bytes(90_000);
        const bucket = await bucketWithOld(storage, old);
        for (const sent of SENT) {
          for (const key of ['new', 'old']) {
            const rest = announced(WHOLE, bytes(sent));
            await breakOff(storage, { path: `/${bucket}/${key}`, rest, ending });
          }
        }
        const small = announced(10, bytes(9));
        await breakOff(storage, { path: `/${bucket}/old`, rest: small, ending });
        await expectOld(storage, bucket, old);
      },
    }),
  ),
  ...(['end', 'reset'] as const).map(
    (ending): HttpRule => ({
      id: `cut-chunked-${ending}`,
      name: `a chunked body that breaks off publishes nothing, and keeps the old object (${ending})`,
      async prove(storage) {
        const old = bytes(10);
        const bucket = await bucketWithOld(storage, old);
        const bodies = [
          chunked(''),
          chunked('5\r\nhel'),
          chunked('5\r\nhello\r\n'),
          chunked('5\r\nhello\r\n0\r\n'),
          chunked(chunk(bytes(100_000))),
          chunked(chunk(bytes(100_000)), chunk(bytes(100)), '400\r\n', bytes(1023)),
        ];
        for (const rest of bodies) {
          for (const key of ['new', 'old']) {
            await breakOff(storage, { path: `/${bucket}/${key}`, rest, ending });
          }
        }
        await expectOld(storage, bucket, old);
      },
    }),
  ),
  {
    id: 'cut-chunked-malformed',
    name: 'chunks that are malformed publish nothing, and keep the old object',
    async prove(storage) {
      const old = bytes(90_000);
      const bucket = await bucketWithOld(storage, old);
      const bodies = [
        chunked('zz\r\nhello\r\n0\r\n\r\n'),
        chunked('5\r\nhello world\r\n0\r\n\r\n'),
        chunked('-5\r\nhello\r\n0\r\n\r\n'),
        chunked('0x5\r\nhello\r\n0\r\n\r\n'),
        chunked('ffffffffffffffffff\r\nhello\r\n0\r\n\r\n'),
        chunked(chunk(bytes(100_000)), 'g\r\n'),
      ];
      for (const rest of bodies) {
        for (const key of ['new', 'old']) {
          await breakOff(storage, { path: `/${bucket}/${key}`, rest, ending: 'end' });
        }
      }
      await expectOld(storage, bucket, old);
    },
  },
  {
    id: 'cut-digest',
    name: 'a body that breaks off is refused even when its digest would match',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const rest = 'Content-MD5: XUFAKrxLKna5cZ2REBfFkg==\r\nContent-Length: 6\r\n\r\nhello';
      await breakOff(storage, { path: `/${bucket}/new`, rest, ending: 'end' });
      await settle(storage, bucket);
      (await storage.head(`/${bucket}/new`)).failsBare(404);
    },
  },
  {
    id: 'cut-many',
    name: 'many uploads that break off at a time leave the server well',
    async prove(storage) {
      const old = bytes(10);
      const bucket = await bucketWithOld(storage, old);
      const rest = announced(WHOLE, bytes(80_000));
      await Promise.all(
        Array.from({ length: 30 }, () =>
          breakOff(storage, { path: `/${bucket}/new`, rest, ending: 'reset' }),
        ),
      );
      await expectOld(storage, bucket, old);
    },
  },
];
