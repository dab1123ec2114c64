import assert from 'node:assert/strict';

/** A complete HTTP response, with its headers as they were received. */
export class Answer {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;

  constructor(status: number, rawHeaders: readonly string[], body: Uint8Array) {
    this.status = status;
    this.rawHeaders = rawHeaders;
    this.body = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  }

  /** The value of a header, with one character for each byte. Fails if the header is repeated. */
  header(name: string): string | undefined {
    const values = this.rawHeaders.filter(
      (_, at) => at % 2 === 1 && this.rawHeaders[at - 1]?.toLowerCase() === name,
    );
    assert.ok(values.length < 2, `${name} came ${values.length} times`);
    return values[0];
  }

  /** The names of all headers, in lower case. */
  get headerNames(): string[] {
    return this.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  }

  /** The names in a header that contains a list, in lower case. */
  list(name: string): string[] {
    return (this.header(name) ?? '')
      .split(',')
      .map((item) => item.trim().toLowerCase())
      .filter((item) => item !== '');
  }

  get text(): string {
    return this.body.toString();
  }

  /** Asserts the status. For another one, the message contains the body. */
  is(status: number): this {
    const seen = `${this.status} ${this.body.subarray(0, 300)}`;
    assert.equal(this.status, status, `expected ${status}, got ${seen}`);
    return this;
  }
}
