import { placeOf, unsaved, useUnsaved } from '../settings/unsaved.js';
import { Notice } from '../ui/notice.js';
import { visible } from '../words.js';

interface UnsavedAccessProps {
  readonly bucket: string;
  open(key: string): void;
}

/** Where the list of an object was edited, closed and not saved. */
export function UnsavedAccess({ bucket, open }: UnsavedAccessProps) {
  const start = placeOf(bucket, 'files', '');
  const places = [...useUnsaved().keys()].filter((place) => place.startsWith(start));
  return places.map((place) => {
    const key = place.slice(start.length);
    return (
      <Notice key={place} kind="warning">
        <span>
          The access rules of <span class="key">{visible(key)}</span> have unsaved changes.
        </span>
        <button type="button" class="as-link" onClick={() => open(key)}>
          Continue editing
        </button>
        <button type="button" class="as-link" onClick={() => unsaved.set(place, undefined)}>
          Discard
        </button>
      </Notice>
    );
  });
}
