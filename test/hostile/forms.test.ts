import { s3 } from '@bucketware/s3';
import test, { type ExecutionContext } from 'ava';
import { alice, listen, memoryStorage, onKoa } from '../http/servers.js';

// biome-ignore lint/suspicious/noTemplateCurlyInString: forms write it so
const FILE_NAME = '${filename}';

interface Sent {
  readonly key?: string;
  readonly fileNames?: readonly string[];
  /** The whole body instead. */
  readonly fields?: string;
  readonly end?: string;
}

for (const dialect of [undefined, s3({ credentials: {} })]) {
  const name = dialect === undefined ? 'JSON' : 'S3';

  const serve = async (t: ExecutionContext) => {
    const failures: unknown[] = [];
    const storage = await memoryStorage();
    const onError = (error: unknown) => failures.push(error);
    const { origin, close } = await listen(onKoa(storage, { dialect, onError }));
    t.teardown(close);
    await storage.as(alice).putBucket({ bucket: 'inbox', acl: 'public-read-write' });
    const send = async ({ key = '', fileNames = [], end = '--x--', fields }: Sent) => {
      const part = (disposition: string, text: string) =>
        `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${text}\r\n`;
      const files = fileNames.map((file) => part(`name="file"; filename="${file}"`, file));
      const parts = [part('name="key"', key), ...files, part('name="submit"', 'Send'), end];
      const body = fields ?? parts.join('');
      const headers = { 'content-type': 'multipart/form-data; boundary=x' };
      const answer = await fetch(`${origin}/inbox`, { method: 'POST', body, headers });
      return { isStored: answer.ok, status: answer.status, size: (await answer.text()).length };
    };
    return { storage, send, failures };
  };

  test(`${name}: the name of a file is inserted into a key unchanged`, async (t) => {
    const { storage, send } = await serve(t);
    const fileNames = ['bill$.txt', 'bill$$.txt', 'a$&b', "$'$`", '$1'];
    for (const file of fileNames) {
      t.true((await send({ key: `u/${FILE_NAME}/${FILE_NAME}`, fileNames: [file] })).isStored);
    }
    for (const file of fileNames) {
      const object = await storage.getObject({ bucket: 'inbox', key: `u/${file}/${file}` });
      t.is(await object.text(), file);
    }
  });

  test(`${name}: a part has one name, which no other parameter contains`, async (t) => {
    const { send, storage } = await serve(t);
    const key = `--x\r\nContent-Disposition: form-data; name="key"\r\n\r\n`;
    for (const [isStored, disposition] of [
      [true, 'filename="; name=key"; name="file"'],
      [true, 'NAME=file; x="; name=a"; filename=b'],
      [false, 'name="key"; name="file"; filename="a"'],
      [false, 'name="file"; filename="a"; filename="b"'],
      [false, 'x="; name=file"; filename="a"'],
    ] as const) {
      const end = `${key}kept\r\n--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\ndata\r\n--x--`;
      const sent = await send({ fields: end });
      t.is(sent.isStored, isStored, `${disposition}: ${sent.status}`);
      if (!isStored) t.is(sent.status, 400);
    }
    const { contents } = await storage.listObjects({ bucket: 'inbox' });
    t.deepEqual(
      contents.map((object) => object.key),
      ['kept'],
    );
  });

  test(`${name}: the name of a file leads to no other folder`, async (t) => {
    const { storage, send } = await serve(t);
    for (const [at, path] of ['../../a', 'x/b', 'C:\\\\dir\\\\c', '/d', '..\\\\/e'].entries()) {
      const { status } = await send({ key: `u/${at}/${FILE_NAME}`, fileNames: [path] });
      t.true(status < 300, path);
    }
    const { contents } = await storage.listObjects({ bucket: 'inbox' });
    t.deepEqual(
      contents.map(({ key }) => key),
      ['u/0/a', 'u/1/b', 'u/2/c', 'u/3/d', 'u/4/e'],
    );
  });

  test(`${name}: a repeated placeholder for a name does not make a form larger`, async (t) => {
    const { send, failures } = await serve(t);
    for (const file of ["$'", '$`', '$&', 'x']) {
      const { status, size } = await send({
        key: FILE_NAME.repeat(300),
        fileNames: [file.repeat(1000)],
      });
      t.is(status, 400);
      t.true(size < 2000);
    }
    t.deepEqual(failures, []);
  });

  test(`${name}: a form with two files stores neither, and one with a wrong end stores nothing`, async (t) => {
    const { storage, send } = await serve(t);
    t.is((await send({ key: 'a', fileNames: ['1', '2'] })).status, 400);
    for (const end of ['', '--xy--', '--x', '--x-']) {
      t.is((await send({ key: 'a', fileNames: ['1'], end })).status, 400, end);
    }
    t.deepEqual((await storage.listObjects({ bucket: 'inbox' })).contents, []);
    t.true((await send({ key: 'a', fileNames: ['1'] })).isStored);
  });
}
