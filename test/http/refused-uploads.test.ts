import { once } from 'node:events';
import test from 'ava';
import { open, opening } from './raw.js';
import { serve } from './stalling.js';

const all = ['koa', 'express5', 'express4', 'node', 'fastify'] as const;
const GB = 1024 ** 3;
const MB = 1024 * 1024;

/** Like many clients, sends as fast as it can and does not stop for a response. */
async function sendBody(origin: string, head: string) {
  const { socket, closed, received } = await open(origin);
  const chunk = Buffer.alloc(65_536);
  let accepted = 0;
  const more = () => {
    if (socket.destroyed) return;
    socket.write(chunk, (error) => {
      if (!error) accepted += chunk.length;
      setImmediate(more);
    });
  };
  socket.write(head);
  more();
  await closed;
  return { text: received().toString(), accepted };
}

for (const carrier of all) {
  test(`${carrier}: a rejected upload of 5 GB gets a response, and its body is not read`, async (t) => {
    const { origin } = await serve(t, carrier);
    const framings = [`Content-Length: ${5 * GB}`, 'Transfer-Encoding: chunked'];
    const connections = ['Connection: close', 'Connection: keep-alive'];
    const heads = framings.flatMap((framing) =>
      connections.map((connection) => opening('PUT', '/no-bucket/key', framing, connection)),
    );
    // The data has no chunk headers, so the first chunk is announced as very long.
    const bodies = heads.map((head) => (head.includes('chunked') ? `${head}7fffffff\r\n` : head));
    const ends = await Promise.all([...bodies, ...bodies].map((head) => sendBody(origin, head)));
    for (const { text, accepted } of ends) {
      t.regex(text, /^HTTP\/1\.1 404 /);
      t.regex(text, /"code":"NoSuchBucket"/);
      // A proxy must not reuse a connection that will be closed.
      t.regex(text, /\r\nConnection: close\r\n/i);
      t.true(accepted < 64 * MB, `${accepted} bytes were taken`);
    }
  });

  test(`${carrier}: after a rejected upload that arrived completely, the connection can be reused`, async (t) => {
    const { origin } = await serve(t, carrier);
    const { socket, closed, received } = await open(origin);
    const head = opening('PUT', '/no-bucket/key', 'Content-Length: 200000');
    socket.write(head);
    await once(socket, 'data'); // The response comes before the body.
    socket.write(Buffer.alloc(200_000));
    socket.write(opening('GET', '/bucket', 'Connection: close'));
    await closed;
    const statuses = received()
      .toString()
      .match(/HTTP\/1\.1 \d+/g);
    t.deepEqual(statuses, ['HTTP/1.1 404', 'HTTP/1.1 200']);
  });
}
