/** A request body that is not XML, has a different structure, or exceeds a limit. */
export class MalformedXmlError extends Error {
  override readonly name = 'MalformedXmlError';
  readonly code = 'MalformedXML';

  constructor(message: string) {
    super(`The XML of the body is malformed: ${message}`);
  }
}
