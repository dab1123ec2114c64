import assert from 'node:assert/strict';
import { Answer } from '../../http/answer.js';

/** A response of this dialect. */
export class JsonAnswer extends Answer {
  static of({ status, rawHeaders, body }: Answer): JsonAnswer {
    return new JsonAnswer(status, rawHeaders, body);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the cases assert what is in it
  get json(): any {
    return JSON.parse(this.text);
  }

  /** Asserts an error, with everything that errors require. */
  fails(status: number, code: string): this {
    this.is(status);
    assert.equal(this.header('content-type'), 'application/json; charset=utf-8');
    const { code: found, message, requestId } = this.json;
    assert.equal(found, code, message);
    assert.ok(typeof message === 'string' && message !== '', 'an error has a message');
    assert.ok(requestId, 'an error has a requestId');
    assert.equal(requestId, this.header('x-svc-request-id'));
    return this;
  }

  /** Asserts an error of HEAD, which has only a status. */
  failsBare(status: number): this {
    this.is(status);
    assert.equal(this.body.length, 0);
    assert.ok(this.header('x-svc-request-id'));
    return this;
  }
}
