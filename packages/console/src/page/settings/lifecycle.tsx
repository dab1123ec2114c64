import type { LifecycleRule } from '@bucketware/client';
import { storage } from '../storage.js';
import { Field, Select } from '../ui/field.js';
import { useDraft } from './draft.js';
import { Editor } from './editor.js';
import { prefixIn, resourceOf } from './grant-words.js';
import { conditionOf, explainRule, type When, whenOf } from './lifecycle-due.js';
import { LifecyclePreview } from './lifecycle-preview.js';
import { Typed } from './typed.js';
import { placeOf } from './unsaved.js';

const ACTIONS = {
  DeleteObject: 'Files',
  AbortMultipartUpload: 'Unfinished uploads',
} as const;
const STATES = { enabled: 'On', disabled: 'Off' } as const;
const KINDS = { days: 'After days', date: 'From a date on', now: 'At once' } as const;

const defaults: Readonly<Record<When['kind'], () => When>> = {
  days: () => ({ kind: 'days', days: 30 }),
  date: () => ({
    kind: 'date',
    date: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
  }),
  now: () => ({ kind: 'now' }),
};

/** What is removed automatically, and when. */
export function LifecycleEditor({ bucket }: { readonly bucket: string }) {
  const draft = useDraft<LifecycleRule>(
    placeOf(bucket, 'lifecycle'),
    async (signal) => (await storage.getBucketLifecycle({ bucket, signal })).rule,
    (rule) =>
      rule === null || rule.length === 0
        ? storage.deleteBucketLifecycle({ bucket })
        : storage.putBucketLifecycle({ bucket, rule }),
  );
  const fresh: LifecycleRule = {
    id: '',
    status: 'enabled',
    resource: [`${bucket}/tmp/*`],
    condition: conditionOf(defaults.days()),
    action: { name: 'DeleteObject' },
  };
  const deletes = draft.rules.some(
    ({ status, action }) => status === 'enabled' && action.name === 'DeleteObject',
  );
  return (
    <Editor<LifecycleRule>
      {...{ draft, fresh, add: 'Add a rule' }}
      about="Rules remove files and unfinished uploads automatically. Removed files cannot be restored, so try your rules before you save them."
      none="Nothing is removed automatically."
      warning={deletes ? 'These rules delete files permanently.' : undefined}
      explain={(rule) => explainRule(rule, bucket)}
      render={(rule, change) => (
        <div class="fields">
          <Select
            {...{ label: 'Status', value: rule.status, options: STATES }}
            onChange={(status) => change({ status })}
          />
          <Select
            {...{ label: 'Removes', value: rule.action.name, options: ACTIONS }}
            onChange={(name) => change({ action: { name } })}
          />
          <Typed
            label="Below the folder"
            text={prefixIn(rule.resource, bucket)}
            onType={(text) => change({ resource: resourceOf(text, bucket) ?? [`${bucket}/`] })}
            hint="Ends with a slash. Leave empty for the whole bucket."
          />
          <WhenFields
            when={whenOf(rule)}
            onChange={(when) => change({ condition: conditionOf(when) })}
          />
          <Field
            label="Name"
            value={rule.id ?? ''}
            onInput={(id) => change({ id })}
            hint="If empty, one is generated."
          />
        </div>
      )}
    >
      {draft.rules.length > 0 && <LifecyclePreview {...{ bucket, rules: draft.rules }} />}
    </Editor>
  );
}

/** Undefined if the field is empty, as it is before another number is typed. */
const daysIn = (text: string): number | undefined =>
  text === '' ? undefined : Math.max(1, Math.round(Number(text)));

interface WhenFieldsProps {
  readonly when: When;
  onChange(when: When): void;
}

const WhenFields = ({ when, onChange }: WhenFieldsProps) => (
  <>
    <Select
      {...{ label: 'When', value: when.kind, options: KINDS }}
      onChange={(kind) => onChange(defaults[kind]())}
    />
    {when.kind === 'days' && (
      <Field
        {...{ label: 'Days', type: 'number', min: 1, value: String(when.days ?? '') }}
        onInput={(text) => onChange({ kind: 'days', days: daysIn(text) })}
      />
    )}
    {when.kind === 'date' && (
      <Field
        {...{ label: 'Date', type: 'date', value: when.date, hint: 'Midnight in UTC.' }}
        onInput={(date) => onChange({ kind: 'date', date })}
      />
    )}
  </>
);
