/** Yields the chunks that were read ahead, and then the rest. */
export async function* startingWith(
  head: Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  // Released before the rest, which may take hours.
  for (let chunk = head.shift(); chunk !== undefined; chunk = head.shift()) yield chunk;
  yield* rest;
}

export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  // One chunk needs no copy.
  return all.length === 1 ? (all[0] as Uint8Array) : Buffer.concat(all);
}
