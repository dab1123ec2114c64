export { type S3Options, s3 } from './s3.js';
export type { XmlDocument } from './xml/document.js';
export {
  type AccessControlPolicy,
  accessControlPolicy,
  type Grantee,
} from './xml/documents/access-control-policy.js';
export {
  type CompleteMultipartUpload,
  completeMultipartUpload,
} from './xml/documents/complete-multipart-upload.js';
export { type CorsConfiguration, corsConfiguration } from './xml/documents/cors-configuration.js';
export {
  type CreateBucketConfiguration,
  createBucketConfiguration,
} from './xml/documents/create-bucket.js';
export { type DeleteObjects, deleteObjects } from './xml/documents/delete.js';
export {
  type LifecycleConfiguration,
  lifecycleConfiguration,
} from './xml/documents/lifecycle-configuration.js';
export { type Tagging, tagging } from './xml/documents/tagging.js';
export { MalformedXmlError } from './xml/malformed.js';
export { parseXml, readXml, type XmlLimits, type XmlRoot } from './xml/read.js';
export type { Opened, Shape } from './xml/shapes.js';
export { NAMESPACE, writeXml, type XmlChildren, type XmlContent } from './xml/write.js';
