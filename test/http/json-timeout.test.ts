import test from 'ava';
import { dial } from './raw.js';
import { alice, carriers, listen, memoryStorage } from './servers.js';

for (const carrier of ['koa', 'express5', 'node'] as const) {
  test(`${carrier}: JSON that comes steadily, but too late, is 408, and the next request works`, async (t) => {
    const storage = await memoryStorage();
    await storage.as(alice).putBucket({ bucket: 'bucket' });
    await storage.putObject({ bucket: 'bucket', key: 'key', body: 'x' });
    const options = { jsonTimeout: 300, stallTimeout: 60_000 };
    const server = await listen(carriers[carrier](storage, options));
    t.teardown(server.close);
    const socket = await dial(server.origin);
    socket.on('error', () => {}); // What is still sent meets a closed connection.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    const body = '{"objects":[{"key":"key"}]}';
    const head = 'Host: x\r\nAuthorization: Bearer alice\r\nTransfer-Encoding: chunked\r\n\r\n';
    socket.write(`POST /bucket?delete HTTP/1.1\r\n${head}`);
    const steady = setInterval(() => socket.write('1\r\n \r\n'), 50);
    await closed;
    clearInterval(steady);
    t.regex(answer, /^HTTP\/1\.1 408 /);
    t.regex(answer, /"code":"RequestTimeout"/);
    t.truthy(await storage.getObjectMeta({ bucket: 'bucket', key: 'key' }));
    const headers = { authorization: 'Bearer alice' };
    const again = await fetch(`${server.origin}/bucket?delete`, { method: 'POST', headers, body });
    t.is(again.status, 200);
  });
}
