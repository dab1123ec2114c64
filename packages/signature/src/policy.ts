import type { ContentLengthRange } from '@bucketware/core/contracts';
import { SignatureError, type SignatureErrorCode } from './errors.js';

interface FieldCondition {
  readonly operator: 'eq' | 'starts-with';
  /** In lower case. */
  readonly field: string;
  readonly value: string;
}

type Condition = FieldCondition | ContentLengthRange;

/** The differences between dialects. */
export interface PolicyRules {
  /** Fields that need no condition: they do not affect the object, or can only cause a failure. */
  readonly exempt: RegExp;
  /** Whether a `*` at the end matches any text, as in `{"key": "user/*"}`. */
  readonly hasWildcards: boolean;
  /** The error for an expired policy. */
  readonly expired: SignatureErrorCode;
}

/**
 * Checks a form against its policy, which is JSON in base64. Throws if the policy has expired, a
 * condition is not met, or a field is not covered by a condition. The bucket is always that of the
 * URL, even if a field names another one.
 */
export function requirePolicy(
  policy: string,
  fields: ReadonlyMap<string, string>,
  { bucket, now }: { readonly bucket: string; readonly now: number },
  { exempt, hasWildcards, expired }: PolicyRules,
): ContentLengthRange | undefined {
  const { expiration, conditions } = readPolicy(policy, hasWildcards);
  if (now >= expiration) throw new SignatureError(expired, 'The policy has expired.');
  const values = new Map(fields).set('bucket', bucket);
  const covered = new Set<string>();
  const ranges: ContentLengthRange[] = [];
  for (const condition of conditions) {
    if ('min' in condition) ranges.push(condition);
    else {
      covered.add(condition.field);
      if (!isMet(condition, values.get(condition.field) ?? '')) {
        throw denied(`The field ${condition.field} does not meet its condition.`);
      }
    }
  }
  for (const name of values.keys()) {
    if (!covered.has(name) && !exempt.test(name)) {
      throw denied(`The policy has no condition for the field ${name}.`);
    }
  }
  if (ranges.length === 0) return undefined;
  return {
    min: Math.max(...ranges.map(({ min }) => min)),
    max: Math.min(...ranges.map(({ max }) => max)),
  };
}

function isMet({ operator, field, value }: FieldCondition, found: string): boolean {
  if (operator === 'eq') return found === value;
  // Each item in a list of types must meet the condition.
  const items = field === 'content-type' ? found.split(',').map((item) => item.trim()) : [found];
  return items.every((item) => item.startsWith(value));
}

const EXPIRATION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

function readPolicy(
  policy: string,
  hasWildcards: boolean,
): {
  readonly expiration: number;
  readonly conditions: readonly Condition[];
} {
  const document = parse(policy);
  const { expiration, conditions } = document;
  const time =
    typeof expiration === 'string' && EXPIRATION.test(expiration)
      ? Date.parse(expiration)
      : Number.NaN;
  if (Number.isNaN(time)) throw malformed('It needs an expiration such as 2013-05-24T00:00:00Z.');
  if (!Array.isArray(conditions)) throw malformed('It needs a list of conditions.');
  return {
    expiration: time,
    conditions: conditions.flatMap((given) => readCondition(given, hasWildcards)),
  };
}

/** Some encoders add line breaks. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function parse(policy: string): Record<string, unknown> {
  try {
    // Runtimes differ in what they make of other characters.
    if (!BASE64.test(policy.replaceAll(/[\r\n]/g, '')))
      throw new SyntaxError('This is not base64.');
    const bytes = Buffer.from(policy, 'base64');
    const document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof document === 'object' && document !== null) return document;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw malformed('It must be base64 of a JSON object.');
}

function readCondition(given: unknown, hasWildcards: boolean): readonly Condition[] {
  if (Array.isArray(given)) return [readList(given)];
  if (typeof given !== 'object' || given === null) throw malformed('A condition is malformed.');
  const entries = Object.entries(given);
  if (entries.length === 0) throw malformed('A condition is empty.');
  return entries.map(([name, value]) => {
    const text = textOf(value);
    const field = name.toLowerCase();
    if (!hasWildcards || !text.endsWith('*')) return { operator: 'eq', field, value: text };
    return { operator: 'starts-with', field, value: text.slice(0, -1) };
  });
}

function readList(given: readonly unknown[]): Condition {
  const operator = textOf(given[0]).toLowerCase();
  if (given.length !== 3) throw malformed(`The condition ${operator} needs two arguments.`);
  if (operator === 'content-length-range') {
    return { min: numberOf(given[1]), max: numberOf(given[2]) };
  }
  const name = textOf(given[1]);
  if ((operator !== 'eq' && operator !== 'starts-with') || !name.startsWith('$')) {
    throw malformed('A condition is ["eq" or "starts-with", "$<field>", "<value>"].');
  }
  return { operator, field: name.slice(1).toLowerCase(), value: textOf(given[2]) };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw malformed('A condition must consist of text.');
}

function numberOf(value: unknown): number {
  const text = `${value}`;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw malformed('content-length-range needs two numbers of bytes, 0 or more.');
}

const denied = (message: string) =>
  new SignatureError('AccessDenied', `Invalid according to Policy: ${message}`);
const malformed = (message: string) =>
  new SignatureError('InvalidPolicyDocument', `Invalid Policy: ${message}`);
