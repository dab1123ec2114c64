import test from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { EXAMPLES, startExample } from './example-app.js';

for (const example of EXAMPLES) {
  test(`${example}: a stranger cannot fill the memory with the form of the login`, async (t) => {
    const { path, remove } = await temporaryDirectory();
    const app = await startExample(example, path);
    t.teardown(async () => {
      await app.stop('SIGKILL');
      await remove();
    });
    const send = async (body: string | Blob | ReadableStream) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const request = {
        method: 'POST',
        headers,
        body,
        duplex: 'half',
        redirect: 'manual',
      } as const;
      const response = await fetch(`${app.origin}/login`, request);
      await response.body?.cancel();
      return [response.status, response.headers.get('set-cookie') !== null];
    };
    const large = `user=alice&more=${'x'.repeat(150_000)}`;
    t.deepEqual(await send(large), [413, false]);
    t.deepEqual(await send(new Blob([large]).stream()), [413, false]);
    t.deepEqual(await send('user=nobody'), [302, false]);
    t.deepEqual(await send('user=alice'), [302, true]);
    const withoutForm = { method: 'POST', redirect: 'manual' } as const;
    const { status, headers } = await fetch(`${app.origin}/login`, withoutForm);
    t.deepEqual([status, headers.get('location')], [302, '/login']);
  });
}
