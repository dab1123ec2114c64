/** How a step may fail. */
export interface FailureModes<T> {
  /** The step changes nothing, so it needs no crash after it. */
  readonly silent?: boolean;
  /** What a failed sync does to the disk. */
  readonly fail?: () => void;
  /** What a short write does, given the share of the bytes that it writes (0 to 1). */
  readonly short?: (share: number) => T;
}

export interface Gate {
  /** Runs a call of a driver, at once or when it is scheduled. */
  step<T>(name: string, apply: () => T, otherwise?: FailureModes<T>): Promise<T>;
}

/** Runs each call at once, to examine what a crash left. */
export const atOnce: Gate = {
  step(_name, apply) {
    try {
      return Promise.resolve(apply());
    } catch (error) {
      return Promise.reject(error);
    }
  },
};

/** Runs each call at once, and calls `onChange` after each that changed anything. */
export const watched = (onChange: () => void): Gate => ({
  step(_name, apply, { silent = false } = {}) {
    const result = atOnce.step(_name, apply);
    if (!silent) onChange();
    return result;
  },
});
