import { systemCode } from '@bucketware/core/contracts';
import { printable, toJson } from './text.js';

/** A failure that the user can correct. Its message says how. */
export class UsageError extends Error {
  readonly exitCode = 2;
}

/** The command was ended by Ctrl-C. */
export class Interrupted extends Error {
  readonly exitCode = 130;
}

/** Details were printed already. */
export class Failed extends Error {
  readonly exitCode = 1;
}

export const exitCodeOf = (error: unknown): number =>
  (error as { exitCode?: number } | undefined)?.exitCode ?? 1;

/** Prints a failure to standard error. */
export function report(error: unknown, asJson: boolean): void {
  const message = inWords(error);
  if (asJson) {
    const { code } = error as { code?: unknown };
    const named = typeof code === 'string' ? { code } : {};
    process.stderr.write(`${toJson({ error: { ...named, message } })}\n`);
  } else process.stderr.write(`bucketware: ${printable(message)}\n`);
}

/** Messages for errors of the operating system. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'You are not allowed to open it.',
  EADDRINUSE: 'Another program is using this address. Choose another port with --port.',
  EEXIST: 'It already exists.',
  EISDIR: 'It is a directory.',
  EMFILE: 'Too many files are open. Lower --concurrency.',
  ENAMETOOLONG: 'The name is too long for this file system.',
  ENOENT: 'It does not exist.',
  ENOSPC:
    'The disk is full. Data that has arrived is kept: make room, and run the same command again.',
  ENOTDIR: 'A part of its path is a file, not a directory.',
  EPERM: 'You are not allowed to do this.',
  EDQUOT: 'Your quota on this disk is used up.',
  EROFS: 'The file system is read-only.',
};

const HINTS: Readonly<Record<string, string>> = {
  AccessDenied: 'Give an access key; see bucketware help.',
  Unauthorized: 'Give an access key or a --header; see bucketware help.',
};

/** The message for any failure. */
export function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { path, syscall } = error as NodeJS.ErrnoException;
  const code = systemCode(error) ?? '';
  const words = WORDS[code];
  if (words !== undefined && syscall !== undefined) {
    return path === undefined ? words : `${path}: ${words}`;
  }
  // A failure of the disk may be the cause of a storage error.
  const behind = (error.cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  const cause = behind === 'ENOSPC' ? WORDS.ENOSPC : HINTS[code];
  return [error.message, cause].filter(Boolean).join(' ');
}

/** Failures that would affect every further file too. */
const FATAL = new Set([
  ...['AccessDenied', 'Unauthorized', 'InsufficientStorage', 'NetworkError', 'NoSuchBucket'],
  ...['ServiceUnavailable', 'UnexpectedResponse', 'ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE'],
]);

export const isFatal = (error: unknown): boolean => FATAL.has(String(systemCode(error)));
