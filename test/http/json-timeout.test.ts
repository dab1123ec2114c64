import test from 'ava';
import { carriers } from './carriers.js';
import { dial, open } from './raw.js';
import { alice, listen, memoryStorage, onNode } from './servers.js';

for (const carrier of ['koa', 'express5', 'node'] as const) {
  test(`${carrier}: JSON that arrives steadily but too late is 408, and the next request works`, async (t) => {
    const storage = await memoryStorage();
    await storage.as(alice).putBucket({ bucket: 'bucket' });
    await storage.putObject({ bucket: 'bucket', key: 'key', body: 'x' });
    const options = { jsonTimeout: 300, stallTimeout: 60_000 };
    const server = await listen(carriers[carrier](storage, options));
    t.teardown(server.close);
    const socket = await dial(server.origin);
    socket.on('error', () => {}); // What is still being sent meets a closed connection.
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

test('JSON that arrived while the process was paused is not too late', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const server = await listen(onNode(storage, { jsonTimeout: 300 }));
  t.teardown(server.close);
  const body = '{"objects":[{"key":"key"}]}';
  const { socket, received, closed } = await open(server.origin);
  const head = `Host: x\r\nAuthorization: Bearer alice\r\nContent-Length: ${body.length}\r\n`;
  socket.write(
    `POST /bucket?delete HTTP/1.1\r\n${head}Connection: close\r\n\r\n${body.slice(0, 5)}`,
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  // What follows in the event loop are the timers, before it reads from the network.
  await new Promise((resolve) => setImmediate(resolve));
  socket.write(body.slice(5));
  const end = Date.now() + 400;
  while (Date.now() < end); // Nothing runs in this process, as if it were paused.
  await closed;
  t.regex(received().toString(), /^HTTP\/1\.1 200 /);
});

test('form fields that arrive steadily but too late are 408; a file may take longer', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket', acl: 'public-read-write' });
  const server = await listen(onNode(storage, { jsonTimeout: 300, stallTimeout: 60_000 }));
  t.teardown(server.close);
  const head =
    'POST /bucket HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n' +
    'Content-Type: multipart/form-data; boundary=b\r\n\r\n';
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const part = (name: string) =>
    `\r\n--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;
  const starts = [part('key'), `${part('key')}key${part('file')}`].map(chunk);
  const sockets = await Promise.all(starts.map(() => open(server.origin)));
  const [fields, file] = sockets as [(typeof sockets)[0], (typeof sockets)[0]];
  for (const [at, { socket }] of sockets.entries()) socket.write(head + starts[at]);
  const steady = setInterval(() => {
    for (const { socket } of sockets) if (socket.writable) socket.write(chunk('x'));
  }, 50);
  await fields.closed;
  clearInterval(steady);
  t.regex(fields.received().toString(), /^HTTP\/1\.1 408 .*"code":"RequestTimeout"/s);
  t.is(file.received().length, 0);
  file.socket.write(`${chunk('\r\n--b--\r\n')}0\r\n\r\n`);
  await new Promise((resolve) => file.socket.once('data', resolve));
  t.regex(file.received().toString(), /^HTTP\/1\.1 200 /);
  file.socket.destroy();
  t.true((await storage.getObjectMeta({ bucket: 'bucket', key: 'key' })).size > 0);
});
