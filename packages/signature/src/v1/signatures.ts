import type {
  Credentials,
  FormRefusal,
  SignatureRefusal,
  SignatureScheme,
  Signatures,
  SignedRequest,
} from '@bucketware/core/contracts';
import { signerOf } from '../credentials.js';
import { SignatureError } from '../errors.js';
import { QueryFields } from '../request.js';
import { MAX_EXPIRES } from './claims.js';
import { presignV1 } from './sign.js';
import { checkSchemeOptions, v1Verifier } from './verifier.js';

export interface V1SignatureOptions {
  readonly credentials: Credentials;
  /** The first field of a signature. Default `bce-auth-v1`. */
  readonly scheme?: string | undefined;
}

/**
 * The v1 signatures of the JSON dialect, for `storage.handler()`. The middleware creates them from
 * its `credentials` option.
 *
 * ```ts
 * const handle = storage.handler({ signatures: v1Signatures({ credentials }) });
 * ```
 */
export function v1Signatures(options: V1SignatureOptions): SignatureScheme {
  checkSchemeOptions('v1Signatures()', options);
  return (headerPrefix) => signaturesOf(options, headerPrefix);
}

function signaturesOf(options: V1SignatureOptions, headerPrefix: string): Signatures {
  const verifier = v1Verifier({ ...options, headerPrefix });
  const form = { headerPrefix, scheme: options.scheme };
  return {
    async verify(request) {
      if (!isSigned(request)) return undefined;
      try {
        const { principal } = await verifier.verify(request);
        return principal && { principal };
      } catch (error) {
        return refusalOf(error, CODES);
      }
    },
    async verifyForm(form) {
      try {
        return await verifier.verifyForm(form);
      } catch (error) {
        return refusalOf(error, FORM_CODES);
      }
    },
    links: {
      maxExpires: MAX_EXPIRES,
      async sign({ accessKey, ...target }) {
        return presignV1(await signerOf(options.credentials, accessKey), { ...target, ...form });
      },
    },
  };
}

/**
 * Matches every version, so that a signature of another version is rejected and the request is not
 * treated as anonymous.
 */
const SCHEME = /^[a-z]+-auth-v\d+\//i;

/**
 * `authorization` in the query is always a signature. The header may also belong to the app's own
 * authentication.
 */
const isSigned = ({ rawHeaders, rawQuery }: SignedRequest): boolean =>
  rawHeaders.some((text, at) => at % 2 === 1 && SCHEME.test(text) && isOf(rawHeaders, at)) ||
  (rawQuery !== '' && new QueryFields(rawQuery).has('authorization'));

const isOf = (rawHeaders: readonly string[], at: number): boolean =>
  rawHeaders[at - 1]?.toLowerCase() === 'authorization';

const CODES: Readonly<Record<string, SignatureRefusal>> = {
  InvalidAccessKeyId: 'InvalidAccessKeyId',
  InvalidToken: 'InvalidSessionToken',
  RequestExpired: 'RequestExpired',
  RequestTimeTooSkewed: 'RequestTimeTooSkewed',
  SignatureDoesNotMatch: 'SignatureDoesNotMatch',
};

const FORM_CODES: Readonly<Record<string, FormRefusal>> = {
  ...CODES,
  AccessDenied: 'AccessDenied',
  InvalidArgument: 'InvalidArgument',
  InvalidPolicyDocument: 'InvalidPolicyDocument',
};

function refusalOf<Code>(error: unknown, codes: Readonly<Record<string, Code>>) {
  if (!(error instanceof SignatureError)) throw error;
  const { code, message } = error;
  return { code: codes[code] ?? ('InvalidHTTPAuthHeader' as const), message };
}
