import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BucketEngineOptions, bucketEngine, type Objects } from '@bucketware/multer';
import test, { type ExecutionContext } from 'ava';
import express, { type ErrorRequestHandler } from 'express';
import multer from 'multer';
import multer1 from 'multer1';
import { until } from '../drivers/fixtures.js';
import { open } from './raw.js';
import { alice, bob, listen, memoryStorage } from './servers.js';

const MB = 1024 * 1024;

async function app(
  t: ExecutionContext,
  options: Partial<BucketEngineOptions> = {},
  more: multer.Options = {},
  parser = multer,
) {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'uploads' });
  const engine = bucketEngine({ storage: storage.as(alice), bucket: 'uploads', ...options });
  const web = express();
  web.post('/', parser({ storage: engine, ...more }).any(), (req, res) => {
    res.json({ files: req.files, fields: req.body });
  });
  const failed: ErrorRequestHandler = (error, _req, res, _next) => {
    res.status(400).json({ code: error.code, storageErrors: error.storageErrors });
  };
  web.use(failed);
  const { origin, close } = await listen(web);
  t.teardown(close);
  const keys = async () =>
    (await storage.listObjects({ bucket: 'uploads' })).contents.map(({ key }) => key);
  const send = async (fields: Record<string, string | File>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const answer = await fetch(origin, { method: 'POST', body });
    return { status: answer.status, json: (await answer.json()) as Answer };
  };
  return { storage, origin, keys, send };
}

interface Answer {
  readonly code?: string;
  readonly storageErrors?: unknown[];
  readonly files: readonly { bucket: string; key: string; size: number; etag: string }[];
  readonly fields: Readonly<Record<string, string>>;
}

const file = (content: string | Uint8Array<ArrayBuffer>, name = 'a.txt', type = 'text/plain') =>
  new File([content], name, { type });

test('multer: files and fields of a form are stored as objects', async (t) => {
  const { storage, send } = await app(t);
  const large = Buffer.alloc(3 * MB, 'large');
  const { json } = await send({ title: 'two', one: file('hello'), two: file(large, 'b.bin') });
  t.deepEqual(json.fields, { title: 'two' });
  const [one, two] = json.files;
  t.like(one, { bucket: 'uploads', size: 5, originalname: 'a.txt', fieldname: 'one' });
  const found = await storage.getObject({ bucket: 'uploads', key: one?.key ?? '' });
  t.deepEqual(
    [await found.text(), found.contentType, found.etag],
    ['hello', 'text/plain', one?.etag],
  );
  const second = await storage.getObject({ bucket: 'uploads', key: two?.key ?? '' });
  t.true(large.equals(await second.bytes()));
});

test('multer: bucket, key and headers are chosen for each file', async (t) => {
  const { storage, send } = await app(t, {
    key: async (req, { originalname }) => `${req.ip?.length}/${originalname}`,
    headers: { contentType: 'image/png', metadata: { by: 'form' } },
  });
  const { json } = await send({ one: file('x', '../../x') });
  const key = json.files[0]?.key ?? '';
  t.regex(key, /^\d+\/(\.\.\/\.\.\/)?x$/);
  const meta = await storage.getObjectMeta({ bucket: 'uploads', key });
  t.deepEqual([meta.contentType, meta.metadata], ['image/png', { by: 'form' }]);
});

test('multer: a file over the limit replaces nothing, and the other files of its form are removed', async (t) => {
  const key = (_: unknown, { fieldname }: { fieldname: string }) => fieldname;
  const { storage, keys, send } = await app(t, { key }, { limits: { fileSize: 10 } });
  await storage.putObject({ bucket: 'uploads', key: 'two', body: 'before' });
  const { status, json } = await send({ one: file('small'), two: file('much too large') });
  t.deepEqual([status, json.code, json.storageErrors], [400, 'LIMIT_FILE_SIZE', []]);
  t.deepEqual(await keys(), ['two']);
  t.is(await (await storage.getObject({ bucket: 'uploads', key: 'two' })).text(), 'before');
});

test('multer: a failed form does not remove what someone else has stored with the same key and data', async (t) => {
  const { storage, keys, send } = await app(t, {
    key: async (_, { fieldname }) => {
      if (fieldname === 'late') {
        await sleep(2);
        await storage.putObject({ bucket: 'uploads', key: 'contract', body: 'agreed' });
        throw new Error('Something else went wrong.');
      }
      return fieldname;
    },
  });
  const { status } = await send({ contract: file('agreed'), late: file('x') });
  t.is(status, 400);
  t.deepEqual(await keys(), ['contract']);
});

test('multer: a file that the app decodes is refused', async (t) => {
  const { keys, send } = await app(t, {
    key: (_, { stream }) => {
      stream.setEncoding('hex');
      return 'decoded';
    },
  });
  const { status, json } = await send({ one: file(new Uint8Array(2 * MB)) });
  t.deepEqual([status, json.code], [400, 'InvalidArgument']);
  t.deepEqual(await keys(), []);
});

test('multer: an error of the storage becomes the error of the form', async (t) => {
  const { keys, send, storage } = await app(t, {
    storage: (_, { fieldname }) => storage.as(fieldname === 'bob' ? bob : alice),
  });
  const large = file(new Uint8Array(2 * MB));
  const { status, json } = await send({ alice: file('x'), bob: large, more: file('y') });
  t.deepEqual([status, json.code], [400, 'AccessDenied']);
  t.deepEqual(await keys(), []);
});

for (const [version, parser] of [
  ['multer 1', multer1],
  ['multer 2', multer],
] as const) {
  for (const isEarly of [false, true]) {
    const when = isEarly ? 'before' : 'while';
    test(`${version}: a form that breaks off ${when} its file is stored leaves nothing, and its upload ends`, async (t) => {
      const own = await memoryStorage();
      const user = own.as(alice);
      await user.putBucket({ bucket: 'uploads' });
      const uploads: Promise<unknown>[] = [];
      const storage: Objects = {
        putObject(input) {
          const upload = user.putObject(input);
          uploads.push(upload);
          return upload;
        },
        deleteObject: (input) => user.deleteObject(input),
      };
      let [hasBegun, hasLeft] = [false, false];
      const more: multer.Options = {
        async fileFilter(req, _, accept) {
          hasBegun = true;
          if (isEarly) await until(() => req.destroyed);
          hasLeft = req.destroyed;
          accept(null, true);
        },
      };
      const { origin } = await app(t, { storage }, more, parser);
      const { socket, closed } = await open(origin);
      const type = 'Content-Type: multipart/form-data; boundary=b';
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: 5000000\r\n\r\n`);
      socket.write('--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n');
      socket.write(Buffer.alloc(isEarly ? 1000 : MB));
      if (socket.writableLength > 0) await once(socket, 'drain');
      await until(() => (isEarly ? hasBegun : uploads.length === 1));
      socket.destroy();
      await closed;
      if (isEarly) await until(() => hasLeft);
      // multer 2 does not begin with a file that is broken.
      if (version === 'multer 1') await until(() => uploads.length === 1);
      const [outcome] = await Promise.allSettled(uploads);
      t.not(outcome?.status, 'fulfilled');
      t.deepEqual((await own.listObjects({ bucket: 'uploads' })).contents, []);
      t.deepEqual((await own.check()).missing, []);
    });
  }
}

test('multer: a form of many files causes no warning', async (t) => {
  let waiting = 0;
  const all = new EventEmitter();
  // The files are stored at the same time.
  const key = async (_: unknown, { fieldname }: { fieldname: string }) => {
    if (++waiting === 20) all.emit('here');
    else await once(all, 'here');
    return fieldname;
  };
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  all.setMaxListeners(0);
  process.on('warning', note);
  const { keys, send } = await app(t, { key });
  const files = Array.from({ length: 20 }, (_, n) => [`f${n}`, file(`${n}`)] as const);
  t.is((await send(Object.fromEntries(files))).status, 200);
  t.is((await keys()).length, 20);
  process.off('warning', note);
  t.deepEqual(warnings, []);
});

test('multer: files of any size are stored, in whatever order their keys are chosen', async (t) => {
  for (const parser of [multer1, multer]) {
    const key = async (_: unknown, { fieldname }: { fieldname: string }) => {
      await sleep(fieldname === 'slow' ? 100 : fieldname === 'huge' ? 0 : 20);
      return fieldname;
    };
    const { keys, send } = await app(t, { key }, {}, parser);
    // The form parser waits until more of each large file is read.
    const large = file(new Uint8Array(40_000));
    const fields = { slow: large, a: file('a'), b: file('b'), c: file('c') };
    const huge = file(new Uint8Array(2 * MB));
    t.is((await send({ ...fields, huge, last: large })).status, 200);
    t.deepEqual((await keys()).toSorted(), ['a', 'b', 'c', 'huge', 'last', 'slow']);
  }
});

test('multer: a form of thousands of files is paused while hundreds wait, and stored completely', async (t) => {
  for (const parser of [multer1, multer]) {
    let [open, most] = [0, 0];
    const key = async (_: unknown, { originalname }: { originalname: string }) => {
      most = Math.max(most, ++open);
      await sleep(1);
      return originalname;
    };
    const own = await memoryStorage();
    await own.putBucket({ bucket: 'uploads' });
    const storage: Objects = {
      async putObject(input) {
        const stored = await own.putObject(input);
        open--;
        return stored;
      },
      deleteObject: (input) => own.deleteObject(input),
    };
    const { origin } = await app(t, { storage, key }, {}, parser);
    const body = new FormData();
    for (let at = 0; at < 3000; at++) body.append('f', file('x'.repeat(9000), `${at}`));
    const answer = await fetch(origin, { method: 'POST', body });
    t.is(answer.status, 200);
    const { files } = (await answer.json()) as Answer;
    t.is(files.length, 3000);
    t.true(most < 1000, `${most} files at a time`);
  }
});

test('multer: a function that rejects with nothing fails the form', async (t) => {
  for (const key of [() => Promise.reject(), () => Promise.reject(null)]) {
    const { send, keys } = await app(t, { key });
    t.is((await send({ one: file('x') })).status, 400);
    t.deepEqual(await keys(), []);
  }
});

test('multer: a file whose beginning the app has read is not stored', async (t) => {
  const looks: NonNullable<BucketEngineOptions['key']>[] = [
    async (_, { stream }) => {
      await once(stream, 'data');
      return 'key';
    },
    async (_, { stream }) => {
      await once(stream, 'readable');
      stream.read();
      return 'key';
    },
  ];
  for (const key of looks) {
    const { keys, send } = await app(t, { key });
    for (const size of [10, MB]) {
      const { status, json } = await send({ one: file(new Uint8Array(size)) });
      t.like({ status, code: json.code }, { status: 400, code: 'InvalidArgument' });
      t.deepEqual(await keys(), []);
    }
  }
});

test('multer: headers that name another object, or that nobody reads, are refused', async (t) => {
  for (const headers of [
    { key: 'other' },
    { bucket: 'other' },
    { contentLength: 1 },
    { ifNonMatch: '*' },
    new Headers(),
  ]) {
    const { send, keys } = await app(t, { headers: () => headers as object });
    t.is((await send({ one: file('x') })).status, 400);
    t.deepEqual(await keys(), []);
  }
  const wrong = { key: 'other' } as object;
  const given = { storage: await memoryStorage(), bucket: 'uploads', headers: wrong };
  t.throws(() => bucketEngine(given), {
    message: /headers must be .*without bucket, key, body, contentLength and signal/,
  });
  const later = { ...given, storage: memoryStorage(), headers: {} } as never;
  t.throws(() => bucketEngine(later), { message: /storage must .*not a promise\. Await it first/ });
});
