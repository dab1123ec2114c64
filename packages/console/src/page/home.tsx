import type { BucketItem } from '@bucketware/client';
import type { Loading } from './loading.js';
import { useLoading } from './loading.js';
import { hrefOf } from './route.js';
import { getHealth, type Session } from './storage.js';
import { Button } from './ui/button.js';
import { Icon } from './ui/icons.js';
import { Busy, Empty, Failure, Notice } from './ui/notice.js';
import { BucketsUsage } from './usage.js';
import { timeText } from './words.js';

interface HomeProps {
  readonly buckets: Loading<readonly BucketItem[]>;
  readonly session: Session;
  onCreate(): void;
}

export const Home = ({ buckets, session, onCreate }: HomeProps) => (
  <>
    <header class="page">
      <h1>Overview</h1>
      <Button icon="plus" kind="primary" onClick={onCreate}>
        Create a bucket
      </Button>
    </header>
    {session.health && <HealthCard />}
    {buckets.error !== undefined && <Failure error={buckets.error} retry={buckets.reload} />}
    {buckets.isLoading && buckets.value === undefined && <Busy />}
    {buckets.value?.length === 0 && !buckets.isLoading && (
      <Empty icon="bucket" title="You have no buckets yet.">
        <p>Files are stored in buckets. Create one to start.</p>
      </Empty>
    )}
    {buckets.value !== undefined && buckets.value.length > 0 && (
      <>
        <section class="card">
          <h2>Buckets</h2>
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col" class="wide-only">
                  Location
                </th>
                <th scope="col">Created</th>
              </tr>
            </thead>
            <tbody>
              {buckets.value.map(({ name, location, creationDate }) => (
                <tr key={name}>
                  <td>
                    <a class="name" href={hrefOf(name)}>
                      <Icon name="bucket" />
                      <span>{name}</span>
                    </a>
                  </td>
                  <td class="wide-only">{location}</td>
                  <td>{timeText(creationDate)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <BucketsUsage buckets={buckets.value.map(({ name }) => name)} />
      </>
    )}
  </>
);

function HealthCard() {
  const health = useLoading(getHealth, []);
  if (health.error !== undefined) return <Failure error={health.error} retry={health.reload} />;
  if (health.value === undefined) return null;
  const { ok, records, blobs } = health.value;
  const backends = { Records: records, Data: blobs };
  return (
    <section class="card">
      <h2>Health</h2>
      <Notice kind={ok ? 'good' : 'bad'}>
        {ok ? 'Everything works.' : 'Something is wrong. See the log of the app.'}
      </Notice>
      <dl class="facts">
        {Object.entries(backends).map(([name, backend]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={backend.ok ? '' : 'bad'}>
              <Icon name={backend.ok ? 'check' : 'alert'} />
              {backend.ok ? `responded in ${backend.milliseconds} ms` : 'failed'}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
