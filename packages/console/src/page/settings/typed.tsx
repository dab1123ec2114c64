import { useState } from 'preact/hooks';
import { Field } from '../ui/field.js';

interface TypedProps {
  readonly label: string;
  readonly hint: string;
  /** The initial text. */
  readonly text: string;
  readonly rows?: number;
  onType(text: string): void;
}

/** A field whose text represents a value and stays as it was typed. */
export function Typed({ text: first, onType, ...rest }: TypedProps) {
  const [text, setText] = useState(first);
  const type = (given: string) => {
    setText(given);
    onType(given);
  };
  return <Field {...rest} value={text} onInput={type} />;
}

interface LinesProps {
  readonly label: string;
  readonly hint: string;
  readonly lines: readonly string[] | undefined;
  onChange(lines: string[]): void;
}

/** A list with one entry per line. */
export const Lines = ({ lines = [], onChange, ...rest }: LinesProps) => (
  <Typed
    {...rest}
    rows={2}
    text={lines.join('\n')}
    onType={(given) => {
      const found = given.split('\n').map((line) => line.trim());
      onChange(found.filter((line) => line !== ''));
    }}
  />
);
