import { blobStoreCases, metadataStoreCases } from '@bucketware/conformance';
import { memoryBlobs, memoryMetadata } from '@bucketware/core';
import { runCases } from './fixtures.js';

const cleanup = async (): Promise<void> => {};

runCases(metadataStoreCases(async () => ({ store: memoryMetadata(), cleanup })));
runCases(blobStoreCases(async () => ({ store: memoryBlobs(), cleanup })));
