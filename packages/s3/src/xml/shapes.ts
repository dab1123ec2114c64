import { MalformedXmlError } from './malformed.js';
import type { XmlElement } from './read.js';

/** Reads a value out of an element, or throws a {@link MalformedXmlError}. */
export type Shape<T> = (element: XmlElement) => T;

/** How often an element may come among its siblings, and what it is. */
export interface Field<T> {
  readonly shape: Shape<unknown>;
  readonly min: number;
  readonly max: number;
  pick(values: readonly unknown[]): T;
}

export const one = <T>(shape: Shape<T>): Field<T> => ({
  shape,
  min: 1,
  max: 1,
  pick: ([value]) => value as T,
});

export const optional = <T>(shape: Shape<T>): Field<T | undefined> => ({
  ...one(shape),
  min: 0,
});

/** `min` to `max` elements of one name. */
export const many = <T>(shape: Shape<T>, min: number, max: number): Field<readonly T[]> => ({
  shape,
  min,
  max,
  pick: (values) => values as readonly T[],
});

type Fields = Readonly<Record<string, Field<unknown>>>;
export type ValuesOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

/**
 * An element with these child elements in any order, and no others: what is not understood could be
 * what limits the effect of a request, such as a filter of a rule.
 */
export function fields<F extends Fields>(known: F): Shape<ValuesOf<F>> {
  const names = Object.keys(known);
  return (element) => {
    if (element.children.length === 0 && !isBlank(element.text)) {
      throw new MalformedXmlError(`${element.name} must have elements, not text.`);
    }
    const found = new Map<string, unknown[]>(names.map((name) => [name, []]));
    for (const child of element.children) {
      const values = found.get(child.name);
      if (values === undefined) {
        throw new MalformedXmlError(`${element.name} has no element ${child.name.slice(0, 100)}.`);
      }
      const { shape, max } = known[child.name] as Field<unknown>;
      if (values.length === max) {
        throw new MalformedXmlError(`${element.name} has more than ${max} ${child.name}.`);
      }
      values.push(shape(child));
    }
    return Object.fromEntries(
      Array.from(found, ([name, values]) => {
        const { min, pick } = known[name] as Field<unknown>;
        if (values.length < min) {
          throw new MalformedXmlError(`${element.name} needs the element ${name}.`);
        }
        return [name, pick(values)];
      }),
    ) as ValuesOf<F>;
  };
}

/** The text of an element as it is. */
export const text: Shape<string> = ({ name, text: found, children }) => {
  if (children.length > 0) throw new MalformedXmlError(`${name} must have text, not elements.`);
  return found;
};

/** Text without white space around it: an identifier, a name, a date. */
export const token: Shape<string> = (element) => text(element).trim();

export const whole: Shape<number> = (element) => {
  const digits = token(element);
  if (/^[+-]?\d{1,15}$/.test(digits)) return Number(digits);
  throw new MalformedXmlError(`${element.name} must be a whole number.`);
};

export const flag: Shape<boolean> = (element) => {
  const word = token(element).toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  throw new MalformedXmlError(`${element.name} must be true or false.`);
};

export const oneOf =
  <const T extends string>(...words: readonly T[]): Shape<T> =>
  (element) => {
    const found = token(element);
    const word = words.find((known) => known === found);
    if (word !== undefined) return word;
    throw new MalformedXmlError(`${element.name} must be one of ${words.join(', ')}.`);
  };

const isBlank = (found: string): boolean => found.trim() === '';
