/** A request body that is refused: no XML, XML of another shape, or more of it than is allowed. */
export class MalformedXmlError extends Error {
  override readonly name = 'MalformedXmlError';
  readonly code = 'MalformedXML';

  constructor(message: string) {
    super(`The XML of the body is malformed: ${message}`);
  }
}
