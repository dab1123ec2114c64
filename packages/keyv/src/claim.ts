import { seal, unseal } from './seal.js';

export const CLAIM_ID = 'claim';

/** Identifies the one process that may write without compare-and-set. */
export interface Claim {
  readonly epoch: number;
  readonly token: string;
  /** Whether the store has had a root. If so, the root must never be missing again. */
  readonly made: boolean;
}

export const sealClaim = ({ epoch, token, made }: Claim): string =>
  seal(CLAIM_ID, [epoch, token, made]);

export function unsealClaim(text: unknown): Claim | undefined {
  if (text === undefined) return undefined;
  const [epoch, token, made] = unseal(CLAIM_ID, text) as [number, string, boolean];
  return { epoch, token, made };
}
