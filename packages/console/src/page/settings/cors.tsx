import type { CorsRule } from '@bucketware/client';
import { useState } from 'preact/hooks';
import { storage } from '../storage.js';
import { Choices, Field, Select } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { explainCors, firstMatch } from './cors-words.js';
import { useDraft } from './draft.js';
import { Editor } from './editor.js';
import { Lines } from './typed.js';
import { placeOf } from './unsaved.js';

type Method = CorsRule['allowedMethods'][number];
const METHODS: readonly Method[] = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];

const FRESH: CorsRule = {
  allowedOrigins: ['https://'],
  allowedMethods: ['GET', 'HEAD'],
  allowedHeaders: ['*'],
  allowedExposeHeaders: ['ETag'],
  maxAgeSeconds: 3600,
};

/** Which pages of other sites may use the bucket. */
export function CorsEditor({ bucket }: { readonly bucket: string }) {
  const draft = useDraft<CorsRule>(
    placeOf(bucket, 'cors'),
    async (signal) => (await storage.getBucketCors({ bucket, signal })).corsConfiguration,
    (rules) =>
      rules === null || rules.length === 0
        ? storage.deleteBucketCors({ bucket })
        : storage.putBucketCors({ bucket, corsConfiguration: rules }),
  );
  return (
    <Editor<CorsRule>
      {...{ draft, fresh: FRESH, add: 'Add a rule', explain: explainCors }}
      about="Scripts on other sites can use this bucket only if a rule allows it. The first rule that matches applies, and access rules apply as well."
      none="No other site may use this bucket."
      render={(rule, change) => (
        <>
          <div class="fields">
            <Lines
              label="Origins"
              hint="One per line, such as https://app.example.com. Each may contain one *."
              lines={rule.allowedOrigins}
              onChange={(allowedOrigins) => change({ allowedOrigins })}
            />
            <Lines
              label="Headers that pages may send"
              hint="One per line. * allows all."
              lines={rule.allowedHeaders}
              onChange={(allowedHeaders) => change({ allowedHeaders })}
            />
            <Lines
              label="Headers that pages may read"
              hint="Uploads in parts need ETag."
              lines={rule.allowedExposeHeaders}
              onChange={(allowedExposeHeaders) => change({ allowedExposeHeaders })}
            />
            <Field
              {...{ label: 'Cache time', type: 'number', min: 0 }}
              hint="Seconds for which browsers remember the answer."
              value={String(rule.maxAgeSeconds ?? '')}
              onInput={(text) =>
                change({ maxAgeSeconds: text === '' ? undefined : Math.round(Number(text)) })
              }
            />
          </div>
          <Choices
            {...{ legend: 'Methods', options: METHODS, chosen: rule.allowedMethods }}
            onChange={(allowedMethods) => change({ allowedMethods })}
          />
        </>
      )}
    >
      {draft.rules.length > 0 && <TryOut rules={draft.rules} />}
    </Editor>
  );
}

const TRIED = { GET: 'GET', HEAD: 'HEAD', PUT: 'PUT', POST: 'POST', DELETE: 'DELETE' } as const;

/** What the edited rules would allow a page to do. */
function TryOut({ rules }: { readonly rules: readonly CorsRule[] }) {
  const [origin, setOrigin] = useState('');
  const [method, setMethod] = useState<Method>('GET');
  const at = origin === '' ? undefined : firstMatch(rules, origin, method);
  return (
    <section class="card">
      <h2>Try it</h2>
      <div class="fields">
        <Field
          {...{ label: 'A page of', value: origin, onInput: setOrigin }}
          placeholder="https://app.example.com"
        />
        <Select
          {...{ label: 'Method', value: method, options: TRIED }}
          onChange={(next) => setMethod(next)}
        />
      </div>
      {origin !== '' && (
        <Notice kind={at === undefined ? 'warning' : 'good'}>
          {at === undefined
            ? `No rule allows pages of ${origin} to send ${method}.`
            : `Rule ${at + 1} allows it.`}
        </Notice>
      )}
    </section>
  );
}
