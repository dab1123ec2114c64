import type { Grant, Grantee } from '@bucketware/client';

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

export function explainGrant(grant: Grant, bucket: string): string {
  const { grantee, permission, effect, resource, notResource } = grant;
  const who = join(grantee.map(granteeWords), 'and');
  const what =
    join(
      permission.map((one) => VERBS[one] ?? one),
      'and',
    ) || 'do nothing with';
  const may = effect === 'Deny' ? 'may never' : 'may';
  const except = notResource === undefined ? '' : `, except ${placeWords(notResource, bucket)}`;
  const text = `${who} ${may} ${what} ${placeWords(resource, bucket)}${except}.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const isPublic = ({ grantee, effect }: Grant): boolean =>
  effect !== 'Deny' &&
  grantee.some(({ id, tenantId }) => id === '*' && (tenantId === undefined || tenantId === '*'));

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

/** A folder means everything below it. */
export function resourceOf(text: string, bucket: string): readonly string[] | undefined {
  const places = text
    .split(',')
    .map((place) => place.trim())
    .filter((place) => place !== '');
  if (places.length === 0) return undefined;
  return places.map((place) => `${bucket}/${place.endsWith('/') ? `${place}*` : place}`);
}
