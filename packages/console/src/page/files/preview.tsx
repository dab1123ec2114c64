import type { StoredObject } from '@bucketware/client';
import { useLoading } from '../loading.js';
import { storage } from '../storage.js';
import { urlOf } from './file-table.js';

interface PreviewProps {
  readonly bucket: string;
  readonly object: StoredObject;
}

/** How many bytes of a text are shown. */
const MOST_TEXT = 64 * 1024;
/** Larger pictures are not shown, only offered for download. */
const MOST_PICTURE = 50 * 1024 * 1024;
const TEXT = /^(text\/|application\/(json|javascript|xml|yaml|x-sh|sql|toml)\b|.*\+(json|xml)\b)/;

/**
 * A preview of an object that never runs its content: pictures and media cannot run, and everything
 * else, including HTML, is shown as text.
 */
export function Preview({ bucket, object }: PreviewProps) {
  const { key, size, contentType = '' } = object;
  const url = urlOf(bucket, key);
  if (size === 0 || url === undefined) return null;
  if (contentType.startsWith('image/') && size <= MOST_PICTURE) {
    return (
      <div class="preview">
        <img src={`${url}?v=${object.etag}`} alt={`Preview of ${key}`} />
      </div>
    );
  }
  if (contentType.startsWith('audio/')) {
    // biome-ignore lint/a11y/useMediaCaption: a stored file has no captions beside it
    return <audio class="preview" src={url} controls preload="metadata" />;
  }
  if (contentType.startsWith('video/')) {
    // biome-ignore lint/a11y/useMediaCaption: a stored file has no captions beside it
    return <video class="preview" src={url} controls preload="metadata" />;
  }
  return TEXT.test(contentType) ? <TextPreview {...{ bucket, object }} /> : null;
}

/** The first bytes as text. Some proxies with a cache answer a range with the whole object. */
async function beginningOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  for (let left = MOST_TEXT; left > 0; ) {
    const { done, value } = await reader.read();
    if (done) break;
    const piece = value.subarray(0, left);
    left -= piece.length;
    text += decoder.decode(piece, { stream: true });
  }
  await reader.cancel();
  return text;
}

function TextPreview({ bucket, object: { key, size } }: PreviewProps) {
  const range = size > MOST_TEXT ? `bytes=0-${MOST_TEXT - 1}` : undefined;
  const text = useLoading(
    async (signal) => beginningOf((await storage.getObject({ bucket, key, range, signal })).body),
    [bucket, key],
  );
  if (text.value === undefined) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no pointer scrolls it by keys
    <section class="preview" tabIndex={0} aria-label="Beginning of the text">
      <pre>
        {text.value}
        {range !== undefined && '\n…'}
      </pre>
    </section>
  );
}
