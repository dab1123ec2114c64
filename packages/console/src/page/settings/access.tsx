import type { Grant, Permission } from '@bucketware/client';
import { storage } from '../storage.js';
import { useDraft } from './draft.js';
import { Editor } from './editor.js';
import { FRESH_GRANT, GrantFields } from './grant-fields.js';
import { explainGrant, gainsPublic, prefixIn, resourceOf } from './grant-words.js';
import { Typed } from './typed.js';
import { placeOf } from './unsaved.js';

const PERMISSIONS: readonly Permission[] = ['READ', 'LIST', 'WRITE', 'MODIFY', 'FULL_CONTROL'];

/** Who may do what with the bucket and its objects. */
export function AccessEditor({ bucket }: { readonly bucket: string }) {
  const draft = useDraft<Grant>(
    placeOf(bucket, 'access'),
    async (signal) => (await storage.getBucketAcl({ bucket, signal })).accessControlList,
    (rules) => storage.putBucketAcl({ bucket, accessControlList: rules ?? [] }),
  );
  return (
    <Editor<Grant>
      {...{ draft, fresh: FRESH_GRANT, add: 'Add a rule', warning: gainsPublic(draft) }}
      about="The owner of the bucket may do everything. These rules say what others may do. A rule that denies overrides those that allow."
      none="Only the owner has access."
      explain={(grant) => explainGrant(grant, bucket)}
      render={(grant, change) => (
        <GrantFields {...{ grant, change, permissions: PERMISSIONS }}>
          <Typed
            label="Below the folder"
            text={prefixIn(grant.resource, bucket)}
            onType={(prefix) => change({ resource: resourceOf(prefix, bucket) })}
            hint="Leave empty for the whole bucket."
          />
        </GrantFields>
      )}
    />
  );
}
