export type { OwnAcl } from './acls.js';
export type { BucketRecord } from './buckets.js';
export type { Content, HeaderPair, Inline, Segment, Segments } from './content.js';
export type { ObjectRecord } from './objects.js';
export type { PartRecord } from './parts.js';
export type { BucketSettings, SettingName } from './settings.js';
export type { UploadRecord } from './uploads.js';
