/** What goes wrong with one call of an adapter. */
export const FAULTS = ['fails', 'fails late', 'hangs', 'hangs late', 'says false', 'lies'] as const;
export type Fault = (typeof FAULTS)[number];

/** A Keyv adapter whose n-th call goes wrong in a given way. */
export class FaultyMap {
  readonly map: Map<string, unknown>;
  calls = 0;
  faultAt = Number.POSITIVE_INFINITY;
  fault: Fault = 'fails';
  /** Whether no call takes effect after the fault, as if the process had ended. */
  ends = false;
  /** The call that went wrong. */
  hit: string | undefined;

  constructor(map = new Map<string, unknown>()) {
    this.map = map;
  }

  get(key: string): Promise<unknown> {
    return this.#call('get', () => this.map.get(key));
  }

  set(key: string, value: unknown): Promise<unknown> {
    return this.#call('set', () => {
      this.map.set(key, value);
      return true;
    });
  }

  delete(key: string): Promise<unknown> {
    return this.#call('delete', () => this.map.delete(key));
  }

  async clear(): Promise<void> {
    throw new Error('Nobody may clear a store.');
  }

  async #call(method: string, act: () => unknown): Promise<unknown> {
    this.calls++;
    if (this.ends && this.calls > this.faultAt) throw new Error('The process has ended.');
    if (this.calls !== this.faultAt) return act();
    this.hit = method;
    const { fault } = this;
    if (fault === 'says false') return method === 'get' ? undefined : false;
    if (fault === 'lies') return method === 'get' ? undefined : true;
    if (fault.endsWith('late')) act();
    if (fault.startsWith('hangs')) return new Promise(() => undefined);
    throw new Error('The connection was lost.');
  }
}
