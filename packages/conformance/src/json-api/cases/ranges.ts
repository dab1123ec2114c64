import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'json-range-empty-object',
    name: 'a Range of an empty object is 400 InvalidRange; an empty Range header is ignored',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/empty`;
      (await storage.put(path, '')).is(200);
      for (const range of ['bytes=0-0', 'bytes=0-', 'bytes=-1', 'bytes=5-9', 'bytes=-0']) {
        (await storage.get(path, { range })).fails(400, 'InvalidRange');
      }
      (await storage.get(path, { range: '' })).is(200);
    },
  },
];
