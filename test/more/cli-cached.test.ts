import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { onServer } from '../cli/cli.js';

/**
 * A server behind a shared cache, which keeps the first response to each GET and HEAD of an object,
 * as `Cache-Control: public, max-age=3600` allows.
 */
async function behindCache(t: ExecutionContext) {
  const place = await onServer(t);
  const { endpoint, headers } = JSON.parse(await place.read('store.json'));
  const kept = new Map<string, Promise<[Response, ArrayBuffer]>>();
  const cache = createServer(async (req, res) => {
    const { method = '', url = '' } = req;
    const isObject = /^\/storage\/[^/]+\/[^?]+$/.test(url) && ['GET', 'HEAD'].includes(method);
    const found = (isObject && kept.get(method + url)) || forward(new URL(endpoint).origin, req);
    if (isObject) kept.set(method + url, found);
    const [{ status, headers }, body] = await found;
    res.writeHead(status, Object.fromEntries(headers)).end(Buffer.from(body));
  });
  await new Promise<void>((resolve) => cache.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    cache.closeAllConnections();
    cache.close();
  });
  const { port } = cache.address() as { port: number };
  const store = { endpoint: `http://127.0.0.1:${port}/storage`, headers };
  await writeFile(place.at('store.json'), JSON.stringify(store));
  await place.must('mb', 'films');
  return place;
}

async function forward(origin: string, req: IncomingMessage): Promise<[Response, ArrayBuffer]> {
  const chunks = await req.toArray();
  const { host, connection, ...given } = req.headers;
  const response = await fetch(origin + req.url, {
    method: req.method ?? 'GET',
    headers: given as Record<string, string>,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  return [response, await response.arrayBuffer()];
}

test('mv uploads a file although a cache says that its object is there', async (t) => {
  const { must, at, storage } = await behindCache(t);
  await writeFile(at('report'), 'data');
  const object = { bucket: 'films', key: 'report' };
  for (const command of ['mv', 'cp']) {
    await writeFile(at('report'), 'data');
    await must('cp', 'report', 'films:');
    await must('cp', 'films:report', 'copy');
    await storage.deleteObject(object);
    await must(command, 'report', 'films:');
    t.is(await (await storage.getObject(object)).text(), 'data', command);
  }
});

for (const size of [10, 2_000_000]) {
  test(`mv keeps an object of which a cache has returned earlier data (${size} bytes)`, async (t) => {
    const { must, run, storage } = await behindCache(t);
    const object = { bucket: 'films', key: 'in/state' };
    await storage.putObject({ ...object, body: '1'.repeat(size) });
    await must('cp', 'films:in/state', 'copy');
    await storage.putObject({ ...object, body: '2'.repeat(size) });
    const { code, stderr } = await run('mv', '-r', 'films:in', 'archive');
    t.is(code, 1);
    t.regex(stderr, /replaced/);
    t.is(await (await storage.getObject(object)).text(), '2'.repeat(size));
  });
}
