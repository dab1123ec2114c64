import type { HandlerOptions, Principal, PrincipalResult } from '@bucketware/core';

/** What a visitor of the console asks a link for. */
export interface ShareRequest {
  readonly bucket: string;
  readonly key: string;
  /** Seconds. */
  readonly expiresIn: number;
  /** Who asks. The link must not allow more than this user may do. */
  readonly principal: Principal;
}

/** What is the same for all frameworks. */
export interface ConsoleOptions
  extends Pick<HandlerOptions, 'authorize' | 'onError' | 'trustProxy' | 'loginFirst'> {
  /** The name in the corner. Default `Storage`. */
  readonly title?: string | undefined;
  /** Where somebody logs in whom your app does not know, such as `/login`. */
  readonly loginUrl?: string | undefined;
  /**
   * Makes a link to an object, with `presign()` of the middleware. Undefined: this user must not share
   * it. Default: nobody shares anything.
   */
  readonly share?:
    | ((request: ShareRequest) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** Whether this user sees if the storage is well. Default: nobody does. */
  readonly health?: ((principal: Principal) => boolean | Promise<boolean>) | undefined;
}

/** Names the user of a request. */
export type Identify = () => PrincipalResult | Promise<PrincipalResult>;
