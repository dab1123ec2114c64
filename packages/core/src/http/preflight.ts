import type { CorsRule } from '../engine/records/settings.js';
import { allowed, allowedMethods } from './cors.js';
import { header, required } from './readers.js';

/** The headers in which a browser announces the request that it is about to send. */
export const preflightInput = {
  origin: required(header('origin')),
  method: required(header('access-control-request-method')),
  headers: header('access-control-request-headers'),
};

/** A request that a rule allows. */
interface AllowedRequest {
  readonly origin: string;
  readonly headers: readonly string[];
  readonly rule: CorsRule;
}

export const preflightHeaders = ({ origin, headers, rule }: AllowedRequest) => ({
  ...allowed(origin, rule),
  ...allowedMethods(rule),
  ...(headers.length > 0 && { 'access-control-allow-headers': headers.join(', ') }),
  ...(rule.maxAgeSeconds !== undefined && {
    'access-control-max-age': String(rule.maxAgeSeconds),
  }),
});
