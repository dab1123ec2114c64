/** Takes the body's pieces as they come. */
export interface BodyReader {
  push(piece: Uint8Array): Iterable<Uint8Array>;
  /** Throws when the body is not the one that was signed. */
  end(): void;
}
