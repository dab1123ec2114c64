import { trimmed } from '../encoding.js';
import { SignatureError } from '../errors.js';
import { byBytes } from '../request.js';
import type { ChunkSigning } from './chunk-signing.js';

export interface TrailerRules {
  /** The names in `x-amz-trailer`. */
  readonly announced: readonly string[];
  readonly hasTrailer: boolean;
  /** `undefined` if the chunks are not signed. */
  readonly signing: ChunkSigning | undefined;
}

type Line = readonly [name: string, value: string];

const SIGNATURE = 'x-amz-trailer-signature';

/**
 * Reads what follows the last chunk: a line for each trailing header, and their signature if chunks
 * are signed. Clients differ in CR LF, LF and the number of empty lines. The headers must be
 * exactly those announced.
 */
export function readTrailer(text: string, rules: TrailerRules): readonly Line[] {
  const { announced, hasTrailer, signing } = rules;
  const rows = text.split(/\r?\n/);
  if (rows.pop() !== '') throw malformed('The trailer ended too early.');
  const lines = rows.filter((row) => row !== '').map(readLine);
  if (hasTrailer && signing !== undefined) verify(lines, signing);
  const names = lines.map(([name]) => name).sort(byBytes);
  if (names.join() !== [...announced].sort(byBytes).join()) {
    throw malformed('The trailing headers are not those of x-amz-trailer.');
  }
  if (new Set(names).size < names.length) throw malformed('A trailing header was sent twice.');
  return lines;
}

function readLine(row: string): Line {
  const [, name, value] = /^([\w-]+):(.*)$/.exec(row) ?? [];
  if (name === undefined || value === undefined) throw malformed('A trailing header is malformed.');
  return [name.toLowerCase(), trimmed(value)];
}

/** The signature is the last line. */
function verify(lines: Line[], signing: ChunkSigning): void {
  const [name, signature = ''] = lines.pop() ?? [];
  if (name !== SIGNATURE) throw malformed('The signature of the trailing headers is missing.');
  const signed = lines.toSorted(([a], [b]) => byBytes(a, b));
  signing.verifyTrailer(signature, signed.map(([key, value]) => `${key}:${value}\n`).join(''));
}

const malformed = (message: string) => new SignatureError('MalformedTrailerError', message);
