import type { Operations } from './operations.js';
import type {
  ListObjects,
  ListParts,
  ListUploads,
  ObjectItem,
  PartItem,
  UploadItem,
} from './types.js';

/** All objects, page by page. */
export async function* objects(
  client: Operations,
  given: Omit<ListObjects, 'delimiter'>,
): AsyncGenerator<ObjectItem, void> {
  for (let marker = given.marker; ; ) {
    const page = await client.listObjects({ ...given, marker });
    yield* page.contents;
    if (!page.isTruncated) return;
    marker = page.nextMarker;
  }
}

/** All unfinished uploads, page by page. */
export async function* uploads(
  client: Operations,
  given: Omit<ListUploads, 'delimiter'>,
): AsyncGenerator<UploadItem, void> {
  for (let { keyMarker, uploadIdMarker } = given; ; ) {
    const page = await client.listMultipartUploads({ ...given, keyMarker, uploadIdMarker });
    yield* page.uploads;
    if (!page.isTruncated) return;
    keyMarker = page.nextKeyMarker;
    uploadIdMarker = page.nextUploadIdMarker;
  }
}

/** All parts of an upload, page by page. */
export async function* parts(client: Operations, given: ListParts): AsyncGenerator<PartItem, void> {
  for (let { partNumberMarker } = given; ; ) {
    const page = await client.listParts({ ...given, partNumberMarker });
    yield* page.parts;
    if (!page.isTruncated) return;
    partNumberMarker = page.nextPartNumberMarker;
  }
}
