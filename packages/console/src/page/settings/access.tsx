import type { Grant, Grantee, Permission } from '@bucketware/client';
import { storage } from '../storage.js';
import { Choices, Select } from '../ui/field.js';
import { useDraft } from './draft.js';
import { Editor } from './editor.js';
import { explainGrant, isPublic, prefixIn, resourceOf } from './grant-words.js';
import { Typed } from './typed.js';

const PERMISSIONS: readonly Permission[] = ['READ', 'LIST', 'WRITE', 'MODIFY', 'FULL_CONTROL'];
const EFFECTS = { Allow: 'Allow', Deny: 'Deny' } as const;

const FRESH: Grant = { grantee: [{ id: '' }], permission: ['READ'] };

/** Who may do what with the bucket and its objects. */
export function AccessEditor({ bucket }: { readonly bucket: string }) {
  const draft = useDraft<Grant>(
    async (signal) => (await storage.getBucketAcl({ bucket, signal })).accessControlList,
    (accessControlList) => storage.putBucketAcl({ bucket, accessControlList }),
    [bucket],
  );
  const gains = draft.rules.some(isPublic) && !draft.saved.value?.some(isPublic);
  return (
    <Editor<Grant>
      {...{ draft, fresh: FRESH, add: 'Add a rule' }}
      about="The owner of the bucket may do everything. These rules say what others may do. A rule that denies overrides those that allow."
      none="Only the owner has access."
      warning={gains ? 'When you save this, anyone on the internet gets access.' : undefined}
      explain={(grant) => explainGrant(grant, bucket)}
      render={(grant, change) => {
        const { grantee, permission, effect = 'Allow', resource } = grant;
        return (
          <>
            <div class="fields">
              <Select
                {...{ label: 'Effect', value: effect, options: EFFECTS }}
                onChange={(value) => change({ effect: value })}
              />
              <Typed
                label="Users"
                text={grantee.map(granteeText).join(', ')}
                onType={(text) => change({ grantee: granteesIn(text) })}
                hint="User ids, separated by commas. * means everyone; id;tenant means a user of another tenant."
              />
              <Typed
                label="Below the folder"
                text={prefixIn(resource, bucket)}
                onType={(prefix) => change({ resource: resourceOf(prefix, bucket) })}
                hint="Leave empty for the whole bucket."
              />
            </div>
            <Choices
              {...{ legend: 'Permissions', options: PERMISSIONS, chosen: permission }}
              onChange={(chosen) => change({ permission: chosen })}
            />
          </>
        );
      }}
    />
  );
}

const granteeText = ({ id, tenantId }: Grantee): string =>
  tenantId === undefined ? id : `${id};${tenantId}`;

function granteesIn(text: string): Grantee[] {
  return text.split(',').map((item) => {
    const [, id = '', tenantId] = /^([^;]*)(?:;(.*))?$/.exec(item.trim()) ?? [];
    return tenantId ? { id, tenantId } : { id };
  });
}
