import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import { assertHas } from '../tools.js';
import type { StoredHeaders } from '../values.js';

const NEEDS = ['overrides'] as const;

const STORED: StoredHeaders = {
  contentDisposition: 'old',
  contentType: 'old',
  contentLanguage: 'old',
  expires: 'old',
  // The server would change a value that does not state whether shared caches may store a response.
  cacheControl: 'private',
  contentEncoding: 'br',
};

const OVERRIDES: StoredHeaders = {
  contentDisposition: 'attachment; filename="x y.txt"',
  contentType: 'text/plain; charset=utf-8',
  contentLanguage: 'fr',
  expires: 'Thu, 01 Jan 2060 00:00:00 GMT',
  cacheControl: 'no-store',
  contentEncoding: 'identity',
};

export const cases: readonly Case[] = [
  {
    id: 'overrides-all',
    name: 'each of the six overrides of GetObject replaces its header, and no other',
    needs: NEEDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', 'x', STORED);
      for (const [name, value] of Object.entries(OVERRIDES)) {
        const one = { [name]: value };
        const found = await alice.getObject(bucket, 'key', { overrides: one });
        assertHas(found, { ...STORED, ...one });
      }
      const all = await alice.getObject(bucket, 'key', { overrides: OVERRIDES });
      assertHas(all, { ...OVERRIDES, text: 'x' });
    },
  },
  {
    id: 'overrides-range',
    name: 'overrides also work with a range, and do not change the stored headers',
    needs: NEEDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', '0123', { cacheControl: 'private' });
      const options = { range: 'bytes=1-2', overrides: { cacheControl: 'no-store' } };
      const found = await alice.getObject(bucket, 'key', options);
      assert.deepEqual([found.cacheControl, found.text], ['no-store', '12']);
      assert.deepEqual(found.range, { first: 1, last: 2, of: 4 });
      assert.equal((await alice.getObject(bucket, 'key')).cacheControl, 'private');
    },
  },
  {
    id: 'overrides-non-latin',
    name: 'an override in any script is sent as its UTF-8 bytes',
    needs: NEEDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', 'x');
      const contentDisposition = 'attachment; filename="отчёт 报告 😀.txt"';
      const found = await alice.getObject(bucket, 'key', { overrides: { contentDisposition } });
      const sent = Buffer.from(found.contentDisposition ?? '', 'latin1');
      assert.equal(sent.toString(), contentDisposition);
    },
  },
  {
    id: 'overrides-not-on-errors',
    name: 'overrides do not apply to errors',
    needs: NEEDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const overrides = { contentType: 'text/html', contentEncoding: 'gzip' };
      const { http } = await fails(alice.getObject(bucket, 'no', { overrides }), 'NoSuchKey');
      assert.equal(http.header('content-encoding'), undefined);
      assert.ok(!http.header('content-type')?.startsWith('text/html'));
    },
  },
];
