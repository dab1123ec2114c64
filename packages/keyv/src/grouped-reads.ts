/** Larger groups would block other queries. */
const MAX_GROUP = 64;

interface Waiting {
  readonly key: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends the reads of one turn of the event loop to the database as one query. */
export class GroupedReads {
  readonly #readMany: (keys: readonly string[]) => Promise<readonly unknown[]>;
  #waiting: Waiting[] = [];

  constructor(readMany: (keys: readonly string[]) => Promise<readonly unknown[]>) {
    this.#readMany = readMany;
  }

  read(key: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      if (this.#waiting.length === 1) process.nextTick(() => this.#sendAll());
    });
  }

  #sendAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < waiting.length; at += MAX_GROUP) {
      void this.#send(waiting.slice(at, at + MAX_GROUP));
    }
  }

  async #send(group: readonly Waiting[]): Promise<void> {
    try {
      const values = await this.#readMany(group.map(({ key }) => key));
      for (const [index, { resolve }] of group.entries()) resolve(values[index]);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
