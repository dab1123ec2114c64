import type { Result } from '../scenarios/scenario.js';
import type { TargetRow } from './targets.js';

export interface Report {
  /** Sentences about where and how the figures were measured. */
  readonly about: readonly string[];
  readonly targets: readonly TargetRow[];
  readonly results: readonly Result[];
  /** The servers that could not be started, with the reasons. */
  readonly absent: ReadonlyMap<string, string>;
}
