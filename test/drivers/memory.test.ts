import { blobStoreSuite, metadataStoreSuite } from '@bucketware/conformance';
import { memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';

const persistent = false;

metadataStoreSuite(test, async () => ({ store: memoryMetadata() }), { persistent });
blobStoreSuite(test, async () => ({ store: memoryBlobs() }), { persistent });
