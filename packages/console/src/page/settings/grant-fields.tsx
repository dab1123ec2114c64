import type { Grant, Grantee, Permission } from '@bucketware/client';
import type { ComponentChildren } from 'preact';
import { Choices, Select } from '../ui/field.js';
import { Typed } from './typed.js';

const EFFECTS = { Allow: 'Allow', Deny: 'Deny' } as const;

export const FRESH_GRANT: Grant = { grantee: [{ id: '' }], permission: ['READ'] };

interface GrantFieldsProps {
  readonly grant: Grant;
  readonly permissions: readonly Permission[];
  /** More fields beside the users. */
  readonly children?: ComponentChildren;
  change(changed: Partial<Grant>): void;
}

export const GrantFields = ({ grant, permissions, children, change }: GrantFieldsProps) => (
  <>
    <div class="fields">
      <Select
        {...{ label: 'Effect', value: grant.effect ?? 'Allow', options: EFFECTS }}
        onChange={(effect) => change({ effect })}
      />
      <Typed
        label="Users"
        text={grant.grantee.map(granteeText).join(', ')}
        onType={(text) => change({ grantee: granteesIn(text) })}
        hint="User ids, separated by commas. * means everyone; id;tenant means a user of another tenant."
      />
      {children}
    </div>
    <Choices
      {...{ legend: 'Permissions', options: permissions, chosen: grant.permission }}
      onChange={(permission) => change({ permission })}
    />
  </>
);

const granteeText = ({ id, tenantId }: Grantee): string =>
  tenantId === undefined ? id : `${id};${tenantId}`;

function granteesIn(text: string): Grantee[] {
  return text.split(',').map((item) => {
    const [, id = '', tenantId] = /^([^;]*)(?:;(.*))?$/.exec(item.trim()) ?? [];
    return tenantId ? { id, tenantId } : { id };
  });
}
