/** How a step may end other than well. */
export interface Otherwise<T> {
  /** It changes nothing, so no crash after it differs from one before. */
  readonly silent?: boolean;
  /** What a failed sync does to the disk. */
  readonly fail?: () => void;
  /** What a short write writes, given its share from 0 to 1. */
  readonly short?: (share: number) => T;
}

export interface Gate {
  /** Lets a call of a driver happen, now or when its turn comes. */
  step<T>(name: string, apply: () => T, otherwise?: Otherwise<T>): Promise<T>;
}

/** Every call at once: for looking at what a crash left. */
export const atOnce: Gate = {
  step(_name, apply) {
    try {
      return Promise.resolve(apply());
    } catch (error) {
      return Promise.reject(error);
    }
  },
};

/** Every call at once, and something is told after each that changed anything. */
export const watched = (onChange: () => void): Gate => ({
  step(_name, apply, { silent = false } = {}) {
    const result = atOnce.step(_name, apply);
    if (!silent) onChange();
    return result;
  },
});
