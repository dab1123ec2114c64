import { useState } from 'preact/hooks';
import { share } from '../storage.js';
import { Button } from '../ui/button.js';
import { Select } from '../ui/field.js';
import { Failure } from '../ui/notice.js';

interface ShareLinkProps {
  readonly bucket: string;
  readonly objectKey: string;
}

const TIMES = {
  '3600': 'One hour',
  '86400': 'One day',
  '604800': 'Seven days',
} as const;

/** A link for somebody without a login. */
export function ShareLink({ bucket, objectKey: key }: ShareLinkProps) {
  const [time, setTime] = useState<keyof typeof TIMES>('86400');
  const [url, setUrl] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isCopied, setCopied] = useState(false);
  const make = async () => {
    setError(undefined);
    setCopied(false);
    try {
      setUrl((await share({ bucket, key, expiresIn: Number(time) })).url);
    } catch (failure) {
      setError(failure);
    }
  };
  const copy = async () => {
    await navigator.clipboard.writeText(url as string);
    setCopied(true);
  };
  return (
    <div class="share">
      <Select label="Share for" value={time} options={TIMES} onChange={(next) => setTime(next)} />
      <Button icon="link" onClick={make}>
        Make a link
      </Button>
      {error !== undefined && <Failure error={error} />}
      {url !== undefined && (
        <div class="made">
          <input
            readOnly
            aria-label="Link"
            value={url}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Button onClick={copy}>{isCopied ? 'Copied' : 'Copy'}</Button>
          <small class="hint">
            Anyone with this link can read the file until the link expires. A link cannot be
            revoked.
          </small>
        </div>
      )}
    </div>
  );
}
