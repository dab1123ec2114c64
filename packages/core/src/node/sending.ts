import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers';
import { ContentStream, type Delivery, type StorageResponse } from '../http/message.js';
import { endOf, isDestroyed, isSent } from './http2.js';

/**
 * Reports how much of a response was sent, once it was sent completely or its connection has
 * closed.
 */
export function reportSending(
  res: ServerResponse,
  { body }: StorageResponse,
  delivery: Delivery,
): void {
  if (body instanceof Readable) reportStream(res, body, delivery);
  else lookSoon(new Sending(res, Buffer.byteLength(body), delivery));
}

class Sending {
  readonly #res: ServerResponse;
  readonly #length: number;
  readonly #delivery: Delivery;

  constructor(res: ServerResponse, length: number, delivery: Delivery) {
    this.#res = res;
    this.#length = length;
    this.#delivery = delivery;
  }

  look(now: number): void {
    const res = this.#res;
    if (isSent(res) || isDestroyed(res)) this.#end(now);
    else endOf(res).on('close', () => this.#end(performance.now()));
  }

  #end(now: number): void {
    const complete = isSent(this.#res);
    this.#delivery.over(complete ? this.#length : 0, complete, now);
  }
}

/**
 * Nearly all responses have been sent in the next turn of the event loop. Checking then costs much
 * less than a listener for each of them.
 */
function lookSoon(sending: Sending): void {
  if (handedOver.length === 0) setImmediate(look);
  handedOver.push(sending);
}

let handedOver: Sending[] = [];

function look(): void {
  const those = handedOver;
  handedOver = [];
  const now = performance.now();
  for (const sending of those) sending.look(now);
}

function reportStream(res: ServerResponse, body: Readable, delivery: Delivery): void {
  let bytes = 0;
  // Frameworks pipe a body at a time of their choice. An earlier listener would make it flow.
  res.on('pipe', (piped: Readable) => {
    piped.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
    });
  });
  const sent = () => bytes + (body instanceof ContentStream ? body.bytesSent : 0);
  if (isDestroyed(res)) delivery.over(0, false);
  else endOf(res).on('close', () => delivery.over(sent(), isSent(res)));
}
