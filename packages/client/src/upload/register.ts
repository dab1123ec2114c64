/** Where a client remembers the uploads that it has started, such as `localStorage`. */
export interface UploadRegister {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}

const NAME = 'bucketware:uploads';
/** The maximum number of remembered uploads. Beyond it, the oldest is forgotten. */
const MOST = 100;

type Entry = readonly [start: string, uploadId: string];

/**
 * The uploads that this client has started and not finished. Headers, metadata and access of an
 * object are fixed when its upload starts, and no operation shows them. So a client may continue
 * only an upload that it has itself started with the same ones.
 */
export class StartedUploads {
  readonly #register: UploadRegister;

  constructor(register: UploadRegister = registerOfPage() ?? inMemory()) {
    this.#register = register;
  }

  /** The ids of the uploads with the same start. */
  find(start: string): ReadonlySet<string> {
    return new Set(this.#read().flatMap(([key, uploadId]) => (key === start ? [uploadId] : [])));
  }

  add(start: string, uploadId: string): void {
    this.#write([...this.#read(), [start, uploadId] as const].slice(-MOST));
  }

  remove(uploadId: string): void {
    const entries = this.#read();
    const others = entries.filter(([, id]) => id !== uploadId);
    if (others.length < entries.length) this.#write(others);
  }

  #read(): readonly Entry[] {
    try {
      const entries: unknown = JSON.parse(this.#register.getItem(NAME) ?? '[]');
      return Array.isArray(entries) ? entries.filter(isEntry) : [];
    } catch {
      return []; // An unknown upload is started again.
    }
  }

  #write(entries: readonly Entry[]): void {
    try {
      this.#register.setItem(NAME, JSON.stringify(entries));
    } catch {
      // The register is full or read-only. The upload itself does not depend on it.
    }
  }
}

const isEntry = (value: unknown): value is Entry =>
  Array.isArray(value) && value.length === 2 && value.every((text) => typeof text === 'string');

function registerOfPage(): UploadRegister | undefined {
  // Node also has `localStorage`, but warns when it is used.
  if (!('document' in globalThis)) return undefined;
  try {
    return (globalThis as { localStorage?: UploadRegister }).localStorage;
  } catch {
    return undefined; // The user has disabled storage.
  }
}

function inMemory(): UploadRegister {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
  };
}
