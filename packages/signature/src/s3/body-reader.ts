/** Reads the pieces of a body as they arrive. */
export interface BodyReader {
  push(piece: Uint8Array): Iterable<Uint8Array>;
  /** Called after the last piece. Throws if the body differs from the signed one. */
  end(): void;
}
