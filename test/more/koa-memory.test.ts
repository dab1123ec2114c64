import { openApi } from '@bucketware/core/openapi';
import test from 'ava';
import { testConformance } from '../http/conformance.js';
import { type Checked, checked } from '../http/described.js';
import { memoryStorage, onKoa } from '../http/servers.js';

let described: Checked;

testConformance(onKoa, async (settings) => {
  described = checked(await memoryStorage(settings));
  return described.storage;
});

test.after('every response matches the OpenAPI document', (t) => {
  const { faults, seen } = described;
  t.deepEqual([...faults], []);
  const succeeded = Array.from(seen, (one) => one.split(' ') as [string, string])
    .filter(([, status]) => Number(status) < 400)
    .map(([operation]) => operation);
  const operations = Object.values(openApi().paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  // The conformance kit sends no forms.
  const sent = operations.filter((name) => name !== 'PutObjectForm');
  t.deepEqual([...new Set(succeeded)].sort(), sent.sort());
});
