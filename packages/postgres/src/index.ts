export {
  type PostgresMetadataOptions,
  type PostgresPool,
  postgresMetadata,
} from './postgres-metadata.js';
