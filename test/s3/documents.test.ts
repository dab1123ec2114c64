import {
  accessControlPolicy,
  completeMultipartUpload,
  corsConfiguration,
  createBucketConfiguration,
  deleteObjects,
  lifecycleConfiguration,
  MalformedXmlError,
  NAMESPACE,
  writeXml,
  type XmlChildren,
  type XmlDocument,
} from '@bucketware/s3';
import test, { type ExecutionContext } from 'ava';
import { inPieces } from '../signature/fixtures.js';

const parse = <T>(document: XmlDocument<T>, text: string): T => document.parse(Buffer.from(text));

/** A value without undefined members. */
const bare = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const refused = (t: ExecutionContext, document: XmlDocument<unknown>, texts: readonly string[]) => {
  for (const text of texts) {
    t.throws(() => parse(document, text), { instanceOf: MalformedXmlError }, text);
  }
};

const isSame = (
  t: ExecutionContext,
  document: XmlDocument<unknown>,
  root: string,
  content: XmlChildren,
) => t.deepEqual(bare(parse(document, writeXml(root, content))), content);

test('CreateBucketConfiguration', (t) => {
  const root = 'CreateBucketConfiguration';
  isSame(t, createBucketConfiguration, root, { LocationConstraint: 'eu-west-1' });
  isSame(t, createBucketConfiguration, root, { Tags: { Tag: [{ Key: ' a', Value: '' }] } });
  isSame(t, createBucketConfiguration, root, {});
  refused(t, createBucketConfiguration, [
    '<Other/>',
    `<${root}>eu</${root}>`,
    `<${root}><LocationConstraint>a</LocationConstraint><LocationConstraint>b</LocationConstraint></${root}>`,
    `<${root}><LocationConstraint><a/></LocationConstraint></${root}>`,
    `<${root}><ObjectLockEnabled>true</ObjectLockEnabled></${root}>`,
  ]);
});

test('Delete: keys are unchanged, and there may be 1,000', async (t) => {
  isSame(t, deleteObjects, 'Delete', {
    Object: [{ Key: ' a\n&<b>' }, { Key: '', VersionId: 'v', ETag: '"e"', Size: '3' }],
    Quiet: true,
  } as XmlChildren);
  const many = (count: number) =>
    writeXml('Delete', {
      Object: Array.from({ length: count }, () => ({ Key: '\u00e9'.repeat(512) })),
    });
  const body = inPieces(Buffer.from(many(1000)), [1, 100_000]);
  t.is((await deleteObjects.read(body)).Object.length, 1000);
  refused(t, deleteObjects, [
    many(1001),
    '<Delete/>',
    '<Delete><Quiet>true</Quiet></Delete>',
    '<Delete><Object/></Delete>',
    '<Delete><Object>key</Object></Delete>',
    '<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>',
    '<Delete><Object><key>a</key></Object></Delete>',
    '<Delete><Object><Key>a</Key><IfMatch>e</IfMatch></Object></Delete>',
    '<Delete><Object><Key>a</Key></Object><Quiet>maybe</Quiet></Delete>',
    '<Delete><Object><Key>a</Key></Object>text</Delete>',
    '<Delete><Object><Key>a</Key></Object><__proto__/></Delete>',
  ]);
});

test('CompleteMultipartUpload: 10,000 parts with their checksums', (t) => {
  const part = {
    PartNumber: 1,
    ETag: '"d41d8cd98f00b204e9800998ecf8427e"',
    ChecksumSHA256: 'YWJj'.repeat(11),
    ChecksumCRC64NVME: 'AAAAAAAAAAA=',
  };
  isSame(t, completeMultipartUpload, 'CompleteMultipartUpload', { Part: [part] });
  const many = (count: number) =>
    writeXml('CompleteMultipartUpload', { Part: Array.from({ length: count }, () => part) });
  t.is(parse(completeMultipartUpload, many(10_000)).Part.length, 10_000);
  const withPart = (text: string) =>
    `<CompleteMultipartUpload><Part>${text}</Part></CompleteMultipartUpload>`;
  t.deepEqual(
    bare(
      parse(completeMultipartUpload, withPart('<ETag>\n e\n</ETag><PartNumber> 2 </PartNumber>')),
    ),
    { Part: [{ PartNumber: 2, ETag: 'e' }] },
  );
  refused(t, completeMultipartUpload, [
    many(10_001),
    '<CompleteMultipartUpload/>',
    withPart('<PartNumber>1</PartNumber>'),
    withPart('<ETag>e</ETag>'),
    ...['', 'one', '1.5', '1e3', '0x1', '9'.repeat(16)].map((number) =>
      withPart(`<ETag>e</ETag><PartNumber>${number}</PartNumber>`),
    ),
  ]);
});

test('AccessControlPolicy: the type of a grantee determines which element is used', (t) => {
  const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  const policy = (grantee: string, permission = 'READ') =>
    `<AccessControlPolicy xmlns="${NAMESPACE}"><Owner><ID>me</ID></Owner><AccessControlList><Grant>${grantee}` +
    `<Permission>${permission}</Permission></Grant></AccessControlList></AccessControlPolicy>`;
  const user = `<Grantee ${xsi} xsi:type="CanonicalUser"><ID>ada</ID><DisplayName>Ada</DisplayName></Grantee>`;
  t.deepEqual(bare(parse(accessControlPolicy, policy(user))), {
    Owner: { ID: 'me' },
    AccessControlList: {
      Grant: [{ Grantee: { type: 'CanonicalUser', ID: 'ada' }, Permission: 'READ' }],
    },
  });
  const grantee = (type: string, content: string) =>
    `<Grantee ${xsi} xsi:type="${type}">${content}</Grantee>`;
  const group = parse(accessControlPolicy, policy(grantee('Group', '<URI>http://g</URI>')));
  t.deepEqual(group.AccessControlList?.Grant[0]?.Grantee, { type: 'Group', URI: 'http://g' });
  isSame(t, accessControlPolicy, 'AccessControlPolicy', { Owner: { ID: 'a', DisplayName: 'A' } });
  refused(t, accessControlPolicy, [
    policy(user, 'WRITE_ALL'),
    policy('<Grantee><ID>ada</ID></Grantee>'),
    policy(grantee('Group', '<ID>ada</ID>')),
    policy(grantee('Everybody', '<ID>ada</ID>')),
    policy(`${user}${user}`),
    policy(''),
  ]);
});

test('CORSConfiguration', (t) => {
  const rule = {
    ID: 'r',
    AllowedOrigin: ['*', 'http://a'],
    AllowedMethod: ['GET'],
    AllowedHeader: [],
    ExposeHeader: ['ETag'],
    MaxAgeSeconds: 3000,
  };
  isSame(t, corsConfiguration, 'CORSConfiguration', { CORSRule: [rule] });
  const rules = (count: number) =>
    writeXml('CORSConfiguration', { CORSRule: Array(count).fill(rule) });
  t.is(parse(corsConfiguration, rules(100)).CORSRule.length, 100);
  refused(t, corsConfiguration, [
    rules(101),
    '<CORSConfiguration/>',
    '<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>',
    '<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>',
  ]);
});

test('LifecycleConfiguration: a rule that is not completely supported is rejected', (t) => {
  const rule = (text: string) =>
    `<LifecycleConfiguration><Rule>${text}<Status>Enabled</Status></Rule></LifecycleConfiguration>`;
  const days = '<Expiration><Days>1</Days></Expiration>';
  isSame(t, lifecycleConfiguration, 'LifecycleConfiguration', {
    Rule: [
      {
        ID: 'a',
        Filter: {
          And: { Prefix: 'logs/', ObjectSizeGreaterThan: 5, Tag: [{ Key: 'k', Value: 'v' }] },
        },
        Status: 'Disabled',
        Expiration: { Days: 3 },
        Transition: [],
        NoncurrentVersionExpiration: { NoncurrentDays: 2, NewerNoncurrentVersions: 1 },
        NoncurrentVersionTransition: [],
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
      },
    ],
  });
  t.is(parse(lifecycleConfiguration, rule(`<Prefix> a</Prefix>${days}`)).Rule[0]?.Prefix, ' a');
  t.truthy(parse(lifecycleConfiguration, rule(`<Filter/>${days}`)).Rule[0]?.Filter);
  const both = '<Prefix/><ObjectSizeLessThan>1</ObjectSizeLessThan>';
  const { Filter } =
    parse(lifecycleConfiguration, rule(`<Filter>${both}</Filter>${days}`)).Rule[0] ?? {};
  t.deepEqual(bare(Filter), { Prefix: '', ObjectSizeLessThan: 1 });
  refused(t, lifecycleConfiguration, [
    rule(days),
    rule(`<Prefix>a</Prefix><Filter><Prefix>b</Prefix></Filter>${days}`),
    rule(`<Filter><Prefixes>a</Prefixes></Filter>${days}`),
    rule(`<Filter><StorageClass>COLD</StorageClass></Filter>${days}`),
    rule(`<Filter>logs/</Filter>${days}`),
    rule(`<Filter><Prefix>a</Prefix><ObjectSizeLessThan>1</ObjectSizeLessThan></Filter>${days}`),
    rule(`<Filter><And></And></Filter>${days}`),
    rule(`<Filter><ObjectSizeLessThan>1</ObjectSizeLessThan><And><Prefix/></And></Filter>${days}`),
    rule(`<Filter/><Expiration><Weeks>1</Weeks></Expiration>`),
    rule(`<Filter/>${days}<Status>Enabled</Status>`),
    '<LifecycleConfiguration/>',
    `<LifecycleConfiguration><Rule><Filter/><Status>enabled</Status>${days}</Rule></LifecycleConfiguration>`,
  ]);
});

test('a body that breaks off fails with its own error', async (t) => {
  const broken = async function* () {
    yield Buffer.from('<Delete>');
    throw new Error('the client left');
  };
  await t.throwsAsync(deleteObjects.read(broken()), { message: 'the client left' });
});
