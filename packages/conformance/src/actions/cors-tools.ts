import type { Answer } from '../http/answer.js';
import type { CaseContext } from './case.js';
import type { DialectClient } from './client.js';
import type { CorsAnswer, CorsRule, PreflightQuestion } from './settings.js';

/** The origin from which the pages of these cases come. */
export const APP = 'https://app.example';

/** A new bucket of alice with these CORS rules. */
export async function newCorsBucket(
  { alice, newBucket }: CaseContext,
  ...rules: readonly CorsRule[]
): Promise<string> {
  const bucket = await newBucket();
  await alice.putCors(bucket, rules);
  return bucket;
}

/** A preflight about a PUT from {@link APP}, unless something else is asked. */
export const preflightOf = (
  client: DialectClient,
  bucket: string,
  key: string | undefined,
  question: PreflightQuestion = {},
): Promise<CorsAnswer> =>
  client.preflight(bucket, key, { origin: APP, method: 'PUT', ...question });

/** Every header that lets pages of other origins in. */
export const accessHeaders = ({ headerNames }: Answer): string[] =>
  headerNames.filter((name) => name.startsWith('access-control-'));
