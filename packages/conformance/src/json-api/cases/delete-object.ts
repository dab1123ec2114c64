import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'json-delete-object-missing',
    name: 'DeleteObject on a key that does not exist is 404 NoSuchKey',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.delete(`/${bucket}/no`)).fails(404, 'NoSuchKey');
    },
  },
];
