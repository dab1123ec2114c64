/** A refused request body: not XML, XML with a different structure, or too much of it. */
export class MalformedXmlError extends Error {
  override readonly name = 'MalformedXmlError';
  readonly code = 'MalformedXML';

  constructor(message: string) {
    super(`The XML of the body is malformed: ${message}`);
  }
}
