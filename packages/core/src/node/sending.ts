import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ContentStream, type Delivery, type StorageResponse } from '../http/message.js';

/** Reports how much of a response was sent, when it was sent whole or its connection has closed. */
export function reportSending(
  res: ServerResponse,
  { body }: StorageResponse,
  delivery: Delivery,
): void {
  if (body instanceof Readable) reportStream(res, body, delivery);
  else reportWhole(res, Buffer.byteLength(body), delivery);
}

function reportWhole(res: ServerResponse, length: number, delivery: Delivery): void {
  if (res.destroyed) delivery.over(0, false);
  else {
    res.on('close', () => delivery.over(res.writableFinished ? length : 0, res.writableFinished));
  }
}

function reportStream(res: ServerResponse, body: Readable, delivery: Delivery): void {
  let bytes = 0;
  // Frameworks pipe a body when they like to. A listener that came earlier would let it flow.
  res.on('pipe', (piped: Readable) => {
    piped.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
    });
  });
  const sent = () => bytes + (body instanceof ContentStream ? body.bytesSent : 0);
  if (res.destroyed) delivery.over(0, false);
  else res.on('close', () => delivery.over(sent(), res.writableFinished));
}
