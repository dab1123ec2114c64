import { checkOptions, kinds } from '@bucketware/core/contracts';

/** The parameters of a URL that the package `pg` carries out. It ignores all others. */
const PARAMETERS = {
  ...{ host: kinds.string, port: kinds.string, user: kinds.string, password: kinds.string },
  ssl: kinds.oneOf('true', '1', 'false', '0', 'no-verify'),
  sslmode: kinds.oneOf('disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'),
  ...{ sslcert: kinds.string, sslkey: kinds.string, sslrootcert: kinds.string },
  sslnegotiation: kinds.oneOf('postgres', 'direct'),
  uselibpqcompat: kinds.oneOf('true', 'false'),
  ...{ application_name: kinds.string, fallback_application_name: kinds.string },
  ...{ client_encoding: kinds.string, options: kinds.string },
  ...{ statement_timeout: kinds.string, lock_timeout: kinds.string, query_timeout: kinds.string },
  idle_in_transaction_session_timeout: kinds.string,
};

/**
 * Throws a TypeError for an unknown parameter of a database's URL: with a misspelled `sslmode`, the
 * connection would not be encrypted.
 */
export function checkUrlParameters(url: string): void {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  // A password with an unencoded `?`: `pg` refuses the URL without showing it.
  if (query.includes('@') && !URL.canParse(url)) return;
  const parameters = Object.fromEntries(new URLSearchParams(query));
  checkOptions('The URL of PostgreSQL', parameters, PARAMETERS);
}
