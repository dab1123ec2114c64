import type { Answer } from '../http/answer.js';
import type { CaseContext } from './case.js';
import type { DialectClient } from './client.js';
import type { CorsAnswer, CorsRule, PreflightQuestion } from './settings.js';

/** The origin of the pages in these cases. */
export const APP = 'https://app.example';

/** Creates a bucket of alice with these CORS rules. */
export async function newCorsBucket(
  { alice, newBucket }: CaseContext,
  ...rules: readonly CorsRule[]
): Promise<string> {
  const bucket = await newBucket();
  await alice.putCors(bucket, rules);
  return bucket;
}

/** Sends a preflight, by default for a PUT from {@link APP}. */
export const preflightOf = (
  client: DialectClient,
  bucket: string,
  key: string | undefined,
  question: PreflightQuestion = {},
): Promise<CorsAnswer> =>
  client.preflight(bucket, key, { origin: APP, method: 'PUT', ...question });

/** The names of all headers that grant access to pages of other origins. */
export const accessHeaders = ({ headerNames }: Answer): string[] =>
  headerNames.filter((name) => name.startsWith('access-control-'));
