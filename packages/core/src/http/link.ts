import type { Action, SubjectKind } from '../actions/action.js';
import type { actions } from '../actions/index.js';
import {
  type ArgumentsOf,
  type Parameters,
  refuseUndefined,
} from '../actions/parameters/parameter.js';
import { checkOptions, findUnknownName, kinds } from '../options.js';
import type { Dialect } from './dialect.js';
import { linkAddress } from './link-address.js';
import { checkWritten, kindsOf, write } from './link-parameters.js';
import type { Overrides } from './object-headers.js';
import type { Operation } from './operation.js';
import { PLACE_OPTIONS, type PlaceOptions } from './place-options.js';

type Actions = typeof actions;

/** What a link does, and how long it is valid. */
interface LinkOptions<Name extends keyof Actions> {
  /** The operation, named as in the programmatic API: `getObject`, `putObject` and so on. */
  readonly action: Name;
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
  /**
   * The access key that signs the link. Whoever uses the link has the rights of the key's
   * principal.
   */
  readonly accessKey: string;
  /**
   * How long the link is valid, in seconds. Default 900. In the S3 dialect, at most 604,800, which
   * is seven days.
   */
  readonly expiresIn?: number | undefined;
  /**
   * The URL of the mount as clients see it, such as `https://example.com/storage`. Default: the
   * option `publicUrl` of the middleware.
   */
  readonly publicUrl?: string | undefined;
}

type ParametersOf<A> =
  A extends Action<infer _On extends SubjectKind, infer P extends Parameters, infer _R, infer _T>
    ? Partial<ArgumentsOf<P>>
    : never;

/**
 * The options of a link, with the parameters of its operation as in the programmatic API.
 * Parameters that the dialect sends as headers are signed: whoever uses the link must send them
 * with the same values. GetObject and GetObjectMeta also have `responseContentDisposition` and
 * similar parameters, which replace headers of the response.
 */
export type Link<Name extends keyof Actions> = LinkOptions<Name> &
  ParametersOf<Actions[Name]> &
  (Name extends 'getObject' | 'getObjectMeta' ? Partial<Overrides> : unknown);

/**
 * Creates a URL that works without a login until it expires. Rejects with a TypeError for an
 * invalid option, and with a StorageError for an invalid parameter of the operation.
 *
 * ```ts
 * const url = await files.presign({
 *   action: 'getObject', bucket: 'photos', key: 'cat.jpg', accessKey: 'AKEXAMPLE', expiresIn: 600,
 * });
 * ```
 */
export type Presign = <Name extends keyof Actions>(link: Link<Name>) => Promise<string>;

/** Creates links in a dialect. */
export function presigner(dialect: Dialect, place: PlaceOptions, now: () => number): Presign {
  const operations = operationsOf(dialect);
  return async (link) => {
    const { links } = dialect;
    if (links === undefined) throw new TypeError(NO_ACCESS_KEYS);
    const operation = operations.get(link?.action);
    if (operation === undefined) throw unknownAction(link, operations);
    checkOptions('presign()', link, {
      action: kinds.text,
      accessKey: kinds.required(kinds.text),
      expiresIn: kinds.whole(1, links.maxExpires),
      publicUrl: PLACE_OPTIONS.publicUrl,
      ...kindsOf(operation),
    });
    const { action: _, accessKey, expiresIn = 900, publicUrl, bucket, key, ...parameters } = link;
    refuseUndefined(operation.action.parameters, parameters);
    const request = write(operation, parameters, dialect.readHeaders([]).prefixes);
    checkWritten(dialect, operation, request, bucket);
    const base = publicUrl ?? place.publicUrl;
    return links.sign({
      ...{ accessKey, method: operation.route.method, expires: expiresIn, now: now() },
      ...{ ...linkAddress(base, place, { bucket, key }), ...request },
    });
  };
}

const NO_ACCESS_KEYS =
  'presign() needs access keys. Pass the option credentials to the middleware, or a dialect that has ' +
  'them, such as s3({ credentials }).';

function unknownAction(
  link: { readonly action: unknown } | undefined,
  operations: ReadonlyMap<string, Operation>,
): TypeError {
  const action = link?.action;
  if (typeof action !== 'string') {
    return new TypeError('presign() needs the option action: an operation such as getObject.');
  }
  const names = [...operations.keys()];
  return new TypeError(`presign() has no action ${findUnknownName({ [action]: 1 }, names)}`);
}

/**
 * The operations by the names of their actions. If an action has several operations, the one with
 * the fewest markers.
 */
function operationsOf({ operations }: Dialect): ReadonlyMap<string, Operation> {
  const found = new Map<string, Operation>();
  const markersOf = ({ route: { query = [], headers = [] } }: Operation) =>
    query.length + headers.length;
  for (const one of operations) {
    if (one.loginInBody || one.route.method === 'OPTIONS') continue;
    const name = one.action.name.replace(/^./, (first) => first.toLowerCase());
    const other = found.get(name);
    if (other === undefined || markersOf(one) < markersOf(other)) found.set(name, one);
  }
  return found;
}
