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

export interface HealthCheck {
  readonly name: string;
  readonly ok: boolean;
  /** What is wrong, or a figure to show. */
  readonly detail?: string | undefined;
}

export interface Health {
  readonly ok: boolean;
  readonly checks: readonly HealthCheck[];
}

/** What is the same for all frameworks. */
export interface ConsoleOptions
  extends Pick<HandlerOptions, 'authorize' | 'onError' | 'trustProxy' | 'loginFirst'> {
  /** The name in the corner. Default `Storage`. */
  readonly title?: string | undefined;
  /** Where somebody logs in whom your app does not know, such as `/login`. */
  readonly loginUrl?: string | undefined;
  /** Makes a link to an object, with `presign()` of the middleware. Default: nobody can share. */
  readonly share?: ((request: ShareRequest) => string | Promise<string>) | undefined;
  /** What the page Health shows to this user. Undefined: nothing. Default: nobody sees it. */
  readonly health?:
    | ((principal: Principal) => Health | undefined | Promise<Health | undefined>)
    | undefined;
}

/** Names the user of a request. */
export type Identify = () => PrincipalResult | Promise<PrincipalResult>;
