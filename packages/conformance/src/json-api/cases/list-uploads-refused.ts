import { initiate, STRANGERS } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

/** Whom and what it refuses: a chapter of ListMultipartUploads. */
export const cases: readonly HttpRule[] = [
  {
    id: 'list-uploads-hostile-markers',
    name: 'markers of any text are answered, or refused as InvalidArgument',
    async prove(storage) {
      const bucket = await storage.newBucket();
      await initiate(storage, `/${bucket}/key`);
      const long = 'm'.repeat(1023);
      for (const marker of ['..%2F', '%00', '%F4%8F%BF%BF', long, 'm'.repeat(5000)]) {
        for (const key of ['key', long, '%00', '%F4%8F%BF%BF'.repeat(255)]) {
          const path = `/${bucket}?uploads&keyMarker=${key}&uploadIdMarker=${marker}`;
          const answer = await storage.get(path);
          if (answer.status !== 200) answer.fails(400, 'InvalidArgument');
        }
      }
    },
  },
  {
    id: 'list-uploads-refused',
    name: 'a missing bucket is NoSuchBucket; a stranger or nobody gets 403',
    async prove(storage) {
      (await storage.get(`/${storage.newName()}?uploads`)).fails(404, 'NoSuchBucket');
      const bucket = await storage.newBucket();
      for (const as of STRANGERS) {
        const answer = await storage.send({ method: 'GET', path: `/${bucket}?uploads`, as });
        answer.fails(403, 'AccessDenied');
      }
    },
  },
];
