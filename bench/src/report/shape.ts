import type { Result } from '../scenarios/scenario.js';
import type { TargetRow } from './targets.js';

export interface Report {
  /** Where and how it was measured: one sentence each. */
  readonly about: readonly string[];
  readonly targets: readonly TargetRow[];
  readonly results: readonly Result[];
  /** Servers that could not be started, and why. */
  readonly absent: ReadonlyMap<string, string>;
}
