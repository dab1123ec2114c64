import { memoryBlobs, memoryMetadata } from '@bucketware/core';
import Keyv from 'keyv';
import { alice, memoryStorage } from './servers.js';

/** A function as a program without types calls it. */
export type Loose = (...given: unknown[]) => unknown;

/** Options that a function takes, and how it is called. Default: with the options alone. */
export interface Row {
  readonly options: object;
  readonly call?: (target: Loose, options: object) => unknown;
}

type Rows = Readonly<Record<string, readonly Row[]>>;

const nothing = () => undefined;
const storage = await memoryStorage();
const drivers = { metadata: memoryMetadata(), blobs: memoryBlobs() };
const durability = 'full';
const credentials = { AK: { secret: 'a secret', principal: alice } };
const signer = { accessKey: 'AK', secret: 'a secret', sessionToken: 'a token' };
const target = {
  ...{ publicUrl: 'https://x.test', method: 'GET', path: '/b/k', rawPath: '/b/k' },
  ...{ query: {}, headers: {}, now: 1e12 },
};
const copying = { onProgress: nothing, signal: new AbortController().signal };
const place = { directory: '/tmp', metadata: 'memory', blobs: 'memory', durability, prefix: 'p' };
const placed = { ...place, table: 't' };
const limits = {
  ...{ inlineLimit: 1, readGrace: 1, readTimeout: 1, appendMemory: 1, hashThreads: 0 },
  ...{ segmentsInRecord: 1, maxSegments: 2, sweepEvery: 1, reservedBlobs: 0, now: nothing },
  ...{ copiesPerPrincipal: 1, jsonMemory: 1, location: 'x', maxBucketsPerOwner: 1 },
  ...{ maxUploadsPerBucket: 1, uniqueUserIds: true, blockPublicAccess: true, onError: nothing },
};
const placing = { mount: '/m', host: 'x.test', baseHost: 'y.test', hosts: {}, trustProxy: false };
const handling = {
  ...placing,
  ...{ authorize: nothing, onError: nothing, dialect: {}, headerPrefix: 'x-a-', loginFirst: false },
  ...{ trustedContent: false, crossSiteRequests: 'refuse', patience: { after: 1, every: 1 } },
  ...{ publicUrl: 'https://x.test', stallTimeout: 1, jsonTimeout: 1 },
};
const mounted = { principal: nothing, credentials, ...handling };
const console = {
  ...{ principal: nothing, title: 'T', loginUrl: '/login', share: nothing, health: nothing },
  ...{ authorize: nothing, onError: nothing, trustProxy: false, loginFirst: false },
};
const retry = { times: 1, firstDelay: 1, maxDelay: 1 };
const client = {
  ...{
    endpoint: 'https://x.test',
    headers: {},
    credentials: 'omit',
    fetch: nothing,
    signer,
    retry,
  },
  ...{ timeout: 1, headerPrefix: 'x-a-', uploadRegister: {} },
};

const behind =
  (...first: unknown[]) =>
  (target: Loose, options: object) =>
    target(...first, options);
const ofStorage = (options: object): readonly Row[] => [{ options, call: behind(storage) }];
const alone = (options: object): readonly Row[] => [{ options }];
const inside = (name: string, options: object, others: object): Row => ({
  options,
  call: (target, given) => target({ ...others, [name]: given }),
});
const signing = (fields: object): readonly Row[] => [
  { options: signer, call: (target, given) => target(given, fields) },
  { options: fields, call: behind(signer) },
];
const ofSuite = (options: object): readonly Row[] => [{ options, call: behind(() => {}, nothing) }];

/** Every public function that takes options. */
export const functions: Readonly<Record<string, Rows>> = {
  '@bucketware/client': {
    createClient: [{ options: client }, inside('retry', retry, { endpoint: client.endpoint })],
  },
  '@bucketware/client/node': {
    createClient: alone(client),
    NodeStorageClient: alone(client),
  },
  '@bucketware/conformance': {
    blobStoreSuite: ofSuite({ persistent: false, appends: false }),
    metadataStoreSuite: ofSuite({ persistent: false }),
  },
  '@bucketware/console/express': { storageConsole: ofStorage(console) },
  '@bucketware/console/koa': { storageConsole: ofStorage({ ...console, mount: '/console' }) },
  '@bucketware/core': {
    copyStore: alone({ from: drivers, to: drivers, ...copying }),
    createObjectStorage: alone({ ...drivers, ...limits }),
    memoryBlobs: alone({}),
    memoryMetadata: alone({}),
    restoreStore: alone({ from: '/nowhere', to: drivers, ...copying }),
  },
  '@bucketware/core/node': {
    connect: [{ options: mounted, call: (of, given) => of('a()', storage, given, nothing) }],
    handlerFor: [{ options: mounted, call: (of, given) => of('a()', storage, given, nothing) }],
  },
  '@bucketware/core/openapi': { openApi: alone({ url: '/', title: 'T', headerPrefix: 'x-a-' }) },
  '@bucketware/express': { storageMiddleware: ofStorage(mounted) },
  '@bucketware/fastify': { storagePlugin: ofStorage(mounted) },
  '@bucketware/filesystem': {
    filesystemBlobs: alone({ directory: '/tmp', durability, files: {} }),
  },
  '@bucketware/keyv': {
    PostgresStore: [{ options: { table: 't', timeout: 1 }, call: behind({}) }],
    SqliteStore: [{ options: { durability }, call: behind({}) }],
    keyvMetadata: [{ options: { prefix: 'p', timeout: 1 }, call: behind(new Keyv()) }],
  },
  '@bucketware/koa': { storageMiddleware: ofStorage(mounted), storageRouter: ofStorage(mounted) },
  '@bucketware/lmdb': { lmdbMetadata: alone({ directory: '/tmp', durability }) },
  '@bucketware/multer': {
    bucketEngine: alone({ storage, bucket: 'b', key: nothing, headers: {} }),
  },
  '@bucketware/observability': { accessLog: ofStorage({ format: 'json', write: nothing }) },
  '@bucketware/observability/opentelemetry': {
    openTelemetryMetrics: ofStorage({ meterProvider: {} }),
    openTelemetryTraces: ofStorage({ tracerProvider: {} }),
  },
  '@bucketware/observability/prometheus': {
    prometheusMetrics: ofStorage({ registry: {}, prefix: 'p', buckets: [] }),
  },
  '@bucketware/postgres': {
    postgresMetadata: alone({ url: 'postgres://x', pool: {}, table: 't' }),
  },
  '@bucketware/s3': { s3: alone({ credentials, regions: ['x'], now: nothing }) },
  '@bucketware/s3-blobs': {
    s3Blobs: alone({ url: 's3://b', credentials: nothing, timeout: 1, partSize: 2 ** 23 }),
  },
  '@bucketware/signature': {
    presignS3: signing({ ...target, region: 'x', expires: 60 }),
    presignV1: signing({ ...target, expires: 60, headerPrefix: 'x-a-', scheme: 's' }),
    s3Links: [{ options: credentials.AK, call: (of, AK) => of({ AK }) }],
    s3Verifier: alone({ credentials, regions: ['x'] }),
    signS3: signing({ ...target, region: 'x', payloadHash: 'x' }),
    signV1: signing({ ...target, expires: 60, headerPrefix: 'x-a-', scheme: 's' }),
    v1Signatures: alone({ credentials, scheme: 's' }),
    v1Verifier: alone({ credentials, headerPrefix: 'x-a-', scheme: 's' }),
  },
  '@bucketware/sqlite': { sqliteMetadata: alone({ path: 'memory', durability }) },
  '@bucketware/storage': {
    copyStorage: [
      { options: { from: place, to: place, ...copying } },
      inside('from', placed, { to: place }),
      inside('to', placed, { from: place }),
    ],
    openStorage: alone({ ...placed, ...limits }),
    restoreStorage: [
      { options: { from: '/nowhere', to: place, ...copying } },
      inside('to', placed, { from: '/nowhere' }),
    ],
  },
  '@bucketware/unstorage': { bucketDriver: alone({ storage, bucket: 'b', prefix: 'p/' }) },
  '@bucketware/web': { toWebHandler: ofStorage({ ...mounted, raw: nothing }) },
};

/** The public functions without options. Classes of errors are not listed. */
export const withoutOptions: Readonly<Record<string, string>> = {
  '@bucketware/cli': 'createProgram run',
  '@bucketware/client/node':
    'fetchOverHttp fileBody isPartialName modeOfReplaced partSizeFor uploadRegister',
  '@bucketware/conformance': 'httpSuite',
  '@bucketware/core/contracts':
    'Place afterGroup checkBlobId checkCredential checkCredentials checkKey checkOptions ' +
    'checkPlainData checkPrincipal checkStorage checkText copyPlainData decodeValue encodeKey ' +
    'encodeRange bytesDone encodeValue isBlobId makeDirectory placeLost requireIdle ' +
    'schemaOfTable syncDirectory systemCode takeIdle within',
  '@bucketware/core/dialect':
    'Query RawMetadata RawValue RequestHeaders allowLists asItIs bodyAlreadyRead bodyMemory ' +
    'changes contentResponse createYielder date describeObject empty errorHeaders field flag ' +
    'header headerText httpDate identifyForm isWithoutBody keptBytes metadata metadataFields ' +
    'mixed operation pageOf percentDecode preflightHeaders query raw requireFields required ' +
    'responseOverrides signedRequests startChecksum strictDate textType textual ' +
    'uploadChecksum utf8Of wholeNumber',
  '@bucketware/core/node':
    'clientGone continueWhenRead hasOpenStream holdBack isMountExact keepProtections ' +
    'originSent plainHeaders serve waitForTurn withinTimes',
  '@bucketware/s3': 'parseXml readXml writeXml',
  '@bucketware/signature': 'withoutAwsChunked',
};

const lists = { bucket: 'b', after: 'a', bytesPerSecond: 1, signal: copying.signal };
const runs = { now: new Date(0), dryRun: true, maxDeletions: 1 };

/** The methods of a storage that take options. The operations of the catalogue are not listed. */
export const methods: Rows = {
  backup: [{ options: copying, call: behind('/nowhere') }],
  handler: alone({ ...handling, signatures: nothing }),
  health: alone({ timeout: 1 }),
  'lifecycle.run': alone({ ...runs, onProgress: nothing, onAction: nothing }),
  'maintenance.start': alone({ every: 1 }),
  scrub: alone({ ...lists, onDamage: nothing, onProgress: nothing }),
};

/** The other methods of a storage. */
export const methodsWithoutOptions =
  'allBuckets as check close lifecycle.explain maintenance.stop observe on sweep';
