import { CreateBucketCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import test, { type ExecutionContext } from 'ava';
import { listen, onKoa } from '../http/servers.js';
import { outcomeOf, type RunningS3, startS3 } from '../s3/servers.js';
import { inBrowser, theBrowser } from './chromium.js';

const Bucket = 'forms';
const FILE = { name: 'Ü "1".txt', mimeType: 'text/plain', buffer: Buffer.alloc(200_000, 'meow ') };

const COLOUR = '"red" & blue';

const attribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** A page of another site with a form that alice has signed, and the S3 server for the form. */
async function open(t: ExecutionContext, changed: Readonly<Record<string, string>> = {}) {
  const server: RunningS3 = await startS3(onKoa);
  const s3 = server.client();
  await s3.send(new CreateBucketCommand({ Bucket }));
  const page = await theBrowser().newPage();
  let html = '';
  const site = await listen((req, res) => {
    res.setHeader('content-type', 'text/html; charset=utf-8');
    res.end(req.url === '/' ? html : '<!doctype html><title>thanks</title>');
  });
  t.teardown(async () => {
    await page.close();
    await Promise.all([server.close(), site.close()]);
  });
  const { url, fields } = await createPresignedPost(s3, {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: S3 writes it so in forms
    ...{ Bucket, Key: 'cats/${filename}' },
    Fields: { success_action_redirect: `${site.origin}/thanks`, 'x-amz-meta-colour': COLOUR },
    Conditions: [['content-length-range', 1, 1_000_000]],
  });
  const hidden = Object.entries({ ...fields, ...changed }).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${attribute(value)}">`,
  );
  html = `<!doctype html><form method="post" action="${url}" enctype="multipart/form-data">
    ${hidden.join('')}<input type="file" name="file"><input type="submit"></form>`;
  await page.goto(site.origin);
  await page.setInputFiles('[type=file]', FILE);
  await page.click('[type=submit]');
  const get = (Key: string) => s3.send(new HeadObjectCommand({ Bucket, Key }));
  return { page, get, server };
}

inBrowser('a form', () => {
  test('a form on a page of another site uploads a file, and returns to that site', async (t) => {
    const { page, get, server } = await open(t);
    await page.waitForURL(/\/thanks\?/);
    t.is(await page.title(), 'thanks');
    const { searchParams } = new URL(page.url());
    const key = `cats/${FILE.name}`;
    t.deepEqual([searchParams.get('bucket'), searchParams.get('key')], [Bucket, key]);
    const object = await get(key);
    t.like(object, { ETag: searchParams.get('etag') as string, ContentLength: 200_000 });
    t.deepEqual(object.Metadata, { colour: COLOUR });
    t.deepEqual(server.failures, []);
  });

  test('a form that violates its policy shows the error, and stores nothing', async (t) => {
    const { page, get } = await open(t, { key: 'dogs/mine' });
    await page.waitForURL(/\/s3\/forms$/);
    t.regex(await page.content(), /AccessDenied/);
    t.is(await outcomeOf(get('dogs/mine')), '404 NotFound');
  });
});
