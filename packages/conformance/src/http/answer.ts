import assert from 'node:assert/strict';

/** A whole answer, with its headers as they came. */
export class Answer {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;

  constructor(status: number, rawHeaders: readonly string[], body: readonly Uint8Array[]) {
    this.status = status;
    this.rawHeaders = rawHeaders;
    this.body = Buffer.concat(body);
  }

  /** A header's value, one character for each byte. It must not come twice. */
  header(name: string): string | undefined {
    const values = this.rawHeaders.filter(
      (_, at) => at % 2 === 1 && this.rawHeaders[at - 1]?.toLowerCase() === name,
    );
    assert.ok(values.length < 2, `${name} came ${values.length} times`);
    return values[0];
  }

  get text(): string {
    return this.body.toString();
  }

  // biome-ignore lint/suspicious/noExplicitAny: the cases assert what is in it
  get json(): any {
    return JSON.parse(this.text);
  }

  /** Asserts the status, and shows the body when it is another one. */
  is(status: number): this {
    const seen = `${this.status} ${this.body.subarray(0, 300)}`;
    assert.equal(this.status, status, `expected ${status}, got ${seen}`);
    return this;
  }

  /** Asserts an error with all that every error has. */
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

  /** Asserts an error of HEAD: the status alone tells it. */
  failsBare(status: number): this {
    this.is(status);
    assert.equal(this.body.length, 0);
    assert.ok(this.header('x-svc-request-id'));
    return this;
  }
}
