export { type SqliteMetadataOptions, sqliteMetadata } from './sqlite-metadata.js';
