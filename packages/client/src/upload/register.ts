/** Where a client notes the uploads that it has started. `localStorage` is one. */
export interface UploadRegister {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}

const NAME = 'bucketware:uploads';
/** The oldest is forgotten. */
const MOST = 100;

type Entry = readonly [start: string, uploadId: string];

/**
 * The uploads that this client has started and not finished. What is stored with an object was
 * fixed when its upload started, and no operation shows it: a client may go on only with an upload
 * that it has started itself, in the same way.
 */
export class StartedUploads {
  readonly #register: UploadRegister;

  constructor(register: UploadRegister = registerOfPage() ?? inMemory()) {
    this.#register = register;
  }

  /** The ids of the uploads that were started like this. */
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
      return []; // An upload that is not known begins anew.
    }
  }

  #write(entries: readonly Entry[]): void {
    try {
      this.#register.setItem(NAME, JSON.stringify(entries));
    } catch {
      // It is full, or may not be written: the upload itself does not need it.
    }
  }
}

const isEntry = (value: unknown): value is Entry =>
  Array.isArray(value) && value.length === 2 && value.every((text) => typeof text === 'string');

function registerOfPage(): UploadRegister | undefined {
  // Node has `localStorage` too, and warns of it.
  if (!('document' in globalThis)) return undefined;
  try {
    return (globalThis as { localStorage?: UploadRegister }).localStorage;
  } catch {
    return undefined; // The visitor allows no storage.
  }
}

function inMemory(): UploadRegister {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
  };
}
