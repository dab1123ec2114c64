import {
  type HandlerOptions,
  MIDDLEWARE_OPTIONS,
  type Principal,
  type PrincipalResult,
} from '@bucketware/core';
import { type KnownOptions, kinds } from '@bucketware/core/contracts';

/** A request for a share link. */
export interface ShareRequest {
  readonly bucket: string;
  readonly key: string;
  /** In seconds. */
  readonly expiresIn: number;
  /** The requesting user. The link must not allow more than this user may do. */
  readonly principal: Principal;
}

/** The options for all frameworks. */
export interface ConsoleOptions
  extends Pick<HandlerOptions, 'authorize' | 'onError' | 'trustProxy' | 'loginFirst'> {
  /** The title of the page. Default `Storage`. */
  readonly title?: string | undefined;
  /** The login page of your app, such as `/login`, for visitors who are not logged in. */
  readonly loginUrl?: string | undefined;
  /**
   * Creates a link to an object, with `presign()` of the middleware. Return undefined if the user
   * must not share it. Default: nobody can share anything.
   */
  readonly share?:
    | ((request: ShareRequest) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** Whether this user may see the health of the storage. Default: no user may. */
  readonly health?: ((principal: Principal) => boolean | Promise<boolean>) | undefined;
}

const { authorize, onError, trustProxy, loginFirst, principal } = MIDDLEWARE_OPTIONS;

/** The allowed options for all frameworks. */
export const CONSOLE_OPTIONS: KnownOptions<ConsoleOptions & { readonly principal: unknown }> = {
  ...{ principal, title: kinds.text, loginUrl: kinds.text, share: kinds.aFunction },
  ...{ health: kinds.aFunction, authorize, onError, trustProxy, loginFirst },
};

/** Identifies the user of a request. */
export type Identify = () => PrincipalResult | Promise<PrincipalResult>;
