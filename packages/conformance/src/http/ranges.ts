import assert from 'node:assert/strict';
import { bytes } from './put-object.js';
import type { HttpRule } from './rule.js';

const TEN = '0123456789';

export const cases: readonly HttpRule[] = [
  {
    id: 'range-forms',
    name: 'a range is bytes=<first>-<last>, bytes=<first>- or bytes=-<n>, closed at both ends: 206',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, TEN)).is(200);
      const forms = [
        ['bytes=0-3', '0123', '0-3'],
        ['bytes=4-', '456789', '4-9'],
        ['bytes=-4', '6789', '6-9'],
        ['bytes=0-0', '0', '0-0'],
        ['bytes=9-9', '9', '9-9'],
        ['bytes=9-', '9', '9-9'],
        ['bytes=-1', '9', '9-9'],
        ['bytes=0-9', TEN, '0-9'],
        ['bytes=0-', TEN, '0-9'],
        ['BYTES=1-2', '12', '1-2'],
      ] as const;
      for (const [range, text, sent] of forms) {
        const answer = (await storage.get(`/${bucket}/key`, { range })).is(206);
        assert.equal(answer.text, text, range);
        assert.equal(answer.header('content-range'), `bytes ${sent}/10`);
        assert.equal(answer.header('content-length'), String(text.length));
        assert.equal(answer.header('accept-ranges'), 'bytes');
        assert.ok(answer.header('last-modified'));
      }
    },
  },
  {
    id: 'range-clamp',
    name: 'a range that goes beyond the end stops there: 206',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, TEN)).is(200);
      const forms = [
        ['bytes=8-10', '89', '8-9'],
        ['bytes=8-999999', '89', '8-9'],
        ['bytes=0-99999999999999999999999999', TEN, '0-9'],
        ['bytes=-10', TEN, '0-9'],
        ['bytes=-11', TEN, '0-9'],
        ['bytes=-99999999999999999999999999', TEN, '0-9'],
      ] as const;
      for (const [range, text, sent] of forms) {
        const answer = (await storage.get(`/${bucket}/key`, { range })).is(206);
        assert.equal(answer.text, text, range);
        assert.equal(answer.header('content-range'), `bytes ${sent}/10`);
      }
    },
  },
  {
    id: 'range-unsatisfiable',
    name: 'a range outside the object is 416 InvalidRange with Content-Range: bytes */<size>',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, TEN)).is(200);
      const ranges = ['bytes=10-', 'bytes=10-20', 'bytes=99999999999999999999-', 'bytes=-0'];
      for (const range of [...ranges, 'bytes=5-4', 'bytes=9-0']) {
        const answer = await storage.get(`/${bucket}/key`, { range });
        answer.fails(416, 'InvalidRange');
        assert.equal(answer.header('content-range'), 'bytes */10', range);
      }
    },
  },
  {
    id: 'range-malformed',
    name: 'anything else after bytes= is InvalidRange, several ranges too',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, TEN)).is(200);
      const several = Array.from({ length: 1500 }, (_, at) => `${at}-${at}`).join(',');
      const ranges = ['0-1,3-4', '0-1,', ',0-1', '-', '', 'a-b', '0', '0-1-2', '--1', '+0-1'];
      for (const range of [...ranges, '0x0-0x1', '0-1e1', '0.0-1', '٠-١', ' 0-1', several]) {
        const value = Buffer.from(`bytes=${range}`).toString('latin1');
        const answer = await storage.get(`/${bucket}/key`, { range: value });
        answer.fails(416, 'InvalidRange');
      }
    },
  },
  {
    id: 'range-other-unit',
    name: 'a Range of another unit, and an empty one, are ignored: 200 with the whole object',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, TEN)).is(200);
      for (const range of ['items=0-1', 'bytes', 'bytes 0-1', '0-1', '']) {
        const answer = (await storage.get(`/${bucket}/key`, { range })).is(200);
        assert.equal(answer.text, TEN, range);
        assert.equal(answer.header('content-range'), undefined);
      }
    },
  },
  {
    id: 'range-empty-object',
    name: 'a Range read on an object of zero bytes is 400 InvalidRange; an empty Range header is none',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/empty`, '')).is(200);
      for (const range of ['bytes=0-0', 'bytes=0-', 'bytes=-1', 'bytes=5-9', 'bytes=-0']) {
        (await storage.get(`/${bucket}/empty`, { range })).fails(400, 'InvalidRange');
      }
      for (const range of ['', 'items=0-1']) {
        assert.equal((await storage.get(`/${bucket}/empty`, { range })).is(200).text, '');
      }
    },
  },
  {
    id: 'range-large',
    name: 'ranges of an object of many chunks come byte for byte, across every boundary',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const data = bytes(300_000);
      (await storage.put(`/${bucket}/key`, data)).is(200);
      const edges = [0, 1, 65_535, 65_536, 65_537, 131_072, 262_143, 299_998, 299_999];
      for (const first of edges) {
        for (const last of edges.filter((edge) => edge >= first)) {
          const range = `bytes=${first}-${last}`;
          const answer = (await storage.get(`/${bucket}/key`, { range })).is(206);
          assert.ok(answer.body.equals(data.subarray(first, last + 1)), range);
        }
      }
    },
  },
  {
    id: 'range-of-missing',
    name: 'a Range does not hide that the object does not exist',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const answer = await storage.get(`/${bucket}/no`, { range: 'bytes=0-1' });
      answer.fails(404, 'NoSuchKey');
    },
  },
];
