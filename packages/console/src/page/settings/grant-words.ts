import type { Grant, Grantee } from '@bucketware/client';
import type { Draft } from './draft.js';

/** Grants in words. */

const VERBS: Readonly<Record<string, string>> = {
  READ: 'read',
  LIST: 'list',
  WRITE: 'add, replace and delete',
  MODIFY: 'replace',
  FULL_CONTROL: 'do everything with, and change the settings of,',
};

const join = (words: readonly string[], last: string): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

function granteeWords({ id, tenantId }: Grantee): string {
  if (id === '') return 'nobody';
  if (id !== '*') return `user ${id}${tenantId === undefined ? '' : ` of tenant ${tenantId}`}`;
  if (tenantId === '*') return 'every user';
  return tenantId === undefined ? 'everyone' : `every user of tenant ${tenantId}`;
}

/** The covered resources, without the name of the bucket. */
function placeWords(resource: readonly string[] | undefined, bucket: string): string {
  const places = resource?.map((one) => one.slice(bucket.length + 1)) ?? [];
  if (places.length === 0 || places.includes('*')) return 'all files';
  return join(
    places.map((place) =>
      place.endsWith('*') ? `files below ${place.slice(0, -1)}` : `the file ${place}`,
    ),
    'and',
  );
}

function sentence({ grantee, effect }: Grant, what: string, where: string): string {
  const who = join(grantee.map(granteeWords), 'and');
  const may = effect === 'Deny' ? 'may never' : 'may';
  const text = `${who} ${may} ${what || 'do nothing with'} ${where}.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function explainGrant(grant: Grant, bucket: string): string {
  const { permission, resource, notResource } = grant;
  const verbs = permission.map((one) => VERBS[one] ?? one);
  const except = notResource === undefined ? '' : `, except ${placeWords(notResource, bucket)}`;
  return sentence(grant, join(verbs, 'and'), `${placeWords(resource, bucket)}${except}`);
}

/** A grant in the list of one object. */
export function explainObjectGrant(grant: Grant): string {
  const { permission } = grant;
  const isFull = permission.includes('FULL_CONTROL');
  const what = isFull
    ? 'read, and change the access to,'
    : permission.includes('READ')
      ? 'read'
      : '';
  return sentence(grant, what, 'this file');
}

const isPublic = ({ grantee, effect }: Grant): boolean =>
  effect !== 'Deny' &&
  grantee.some(({ id, tenantId }) => id === '*' && (tenantId === undefined || tenantId === '*'));

/** A warning when rules that are not public become public. */
export function gainsPublic({ rules, saved }: Draft<Grant>): string | undefined {
  const gains = rules.some(isPublic) && !saved.value?.some(isPublic);
  return gains ? 'When you save this, anyone on the internet gets access.' : undefined;
}

/**
 * The text in the field for a resource. Several resources, or one that is not a folder, are shown
 * unchanged.
 */
export function prefixIn(resource: readonly string[] | undefined, bucket: string): string {
  const places = (resource ?? []).map((one) =>
    one.startsWith(`${bucket}/`) ? one.slice(bucket.length + 1) : one,
  );
  return places.map((place) => place.replace(/^\*$/, '').replace(/\/\*$/, '/')).join(', ');
}

/** A folder stands for everything below it. */
export function resourceOf(text: string, bucket: string): readonly string[] | undefined {
  const places = text
    .split(',')
    .map((place) => place.trim())
    .filter((place) => place !== '');
  if (places.length === 0) return undefined;
  return places.map((place) => `${bucket}/${place.endsWith('/') ? `${place}*` : place}`);
}
