import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import type { Answer, StorageClient } from '../wire/client.js';
import { complete, initiate, type Listed, listParts, MIN_PART, part } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

const MB = 1024 * 1024;

interface Open {
  readonly path: string;
  readonly uploadId: string;
  send(body: string | Uint8Array): Promise<Answer>;
  list(parts: readonly unknown[]): Promise<Answer>;
}

async function open(storage: StorageClient): Promise<Open> {
  const path = `/${await storage.newBucket()}/key`;
  const uploadId = await initiate(storage, path);
  const send = (body: string | Uint8Array) =>
    storage.send({ method: 'POST', path: `${path}?uploadId=${uploadId}`, body });
  return { path, uploadId, send, list: (parts) => send(JSON.stringify({ parts })) };
}

/** A rejected list leaves the upload unchanged, and creates no object. */
async function goesOn(storage: StorageClient, { path, uploadId }: Open, parts: readonly Listed[]) {
  (await storage.head(path)).failsBare(404);
  const { numbers } = await listParts(storage, path, uploadId);
  for (const { partNumber } of parts) assert.ok(numbers.includes(partNumber));
  (await complete(storage, path, uploadId, parts)).is(200);
}

/** CompleteMultipartUpload: which lists of parts are accepted. */
export const cases: readonly HttpRule[] = [
  {
    id: 'json-complete-too-small',
    name: 'each part but the last needs 100 KB: 102,399 bytes are EntityTooSmall, 102,400 are accepted',
    async prove(storage) {
      const upload = await open(storage);
      const { path, uploadId, list } = upload;
      const small = await part(storage, path, uploadId, 1, bytes(MIN_PART - 1));
      const enough = await part(storage, path, uploadId, 2, bytes(MIN_PART));
      const last = await part(storage, path, uploadId, 3, '');
      for (const parts of [
        [small, enough],
        [small, enough, last],
        [small, last],
      ]) {
        (await list(parts)).fails(400, 'EntityTooSmall');
      }
      await goesOn(storage, upload, [enough, last]);
    },
  },
  {
    id: 'complete-malformed',
    name: 'a body that is not JSON is 400 MalformedJSON',
    async prove(storage) {
      const upload = await open(storage);
      const { path, uploadId } = upload;
      const one = await part(storage, path, uploadId, 1, 'x');
      const bodies = ['', ' ', '{', '{"parts":[}', '<parts/>', "{'parts':[]}", '[1,]', 'null null'];
      bodies.push('['.repeat(90), `{"parts":[{"partNumber":1e,"eTag":"${one.eTag}"}]}`);
      for (const body of bodies) (await upload.send(body)).fails(400, 'MalformedJSON');
      (await upload.send(Buffer.from([0x7b, 0xff, 0x7d]))).fails(400, 'MalformedJSON');
      await goesOn(storage, upload, [one]);
    },
  },
  {
    id: 'complete-inappropriate',
    name: 'JSON that lacks a required field, or has one of the wrong type, is 400 InappropriateJSON',
    async prove(storage) {
      const upload = await open(storage);
      const { path, uploadId } = upload;
      const one = await part(storage, path, uploadId, 1, 'x');
      const { eTag } = one;
      const bodies: unknown[] = [null, 1, 'x', true, [], {}, [one]];
      for (const parts of [null, [], {}, 'x', 1, { 0: one, length: 1 }]) bodies.push({ parts });
      const items: unknown[] = [null, 1, 'x', [], [1, eTag], {}, { eTag }, { partNumber: 1 }];
      items.push({ partNumber: '1', eTag }, { partNumber: null, eTag }, { partNumber: [1], eTag });
      items.push({ partNumber: 1, eTag: 1 }, { partNumber: 1, eTag: null });
      items.push({ partNumber: 1, eTag: [eTag] });
      for (const item of items) bodies.push({ parts: [item] });
      for (const body of bodies) {
        const text = JSON.stringify(body);
        const answer = await upload.send(text);
        assert.equal(answer.status, 400, text);
        answer.fails(400, 'InappropriateJSON');
      }
      const deep = `{"parts":${'['.repeat(400_000)}${']'.repeat(400_000)}}`;
      (await upload.send(deep)).fails(400, 'InappropriateJSON');
      await goesOn(storage, upload, [one]);
    },
  },
  {
    id: 'complete-unknown-fields',
    name: 'unknown fields of the list are ignored',
    async prove(storage) {
      const { path, uploadId, send } = await open(storage);
      const one = await part(storage, path, uploadId, 1, 'x');
      const item = `{"partNumber":1,"eTag":"${one.eTag}","size":"any","__proto__":{"eTag":1}}`;
      (await send(`{"parts":[${item}],"more":{"parts":1},"__proto__":null}`)).is(200);
    },
  },
  {
    id: 'complete-body-limit',
    name: 'a list of up to 1 MB is accepted; a larger one is 400 EntityTooLarge',
    async prove(storage) {
      const upload = await open(storage);
      const { path, uploadId } = upload;
      const one = await part(storage, path, uploadId, 1, 'x');
      const list = JSON.stringify({ parts: [one] });
      (await upload.send(list.padEnd(MB + 1))).fails(400, 'EntityTooLarge');
      const chunked = await storage.send({
        method: 'POST',
        path: `${path}?uploadId=${uploadId}`,
        headers: { 'transfer-encoding': 'chunked' },
        body: [Buffer.from(list), Buffer.alloc(MB, ' ')],
      });
      chunked.fails(400, 'EntityTooLarge');
      (await storage.head(path)).failsBare(404);
      (await upload.send(list.padEnd(MB))).is(200);
    },
  },
];
