import { MalformedXmlError } from './malformed.js';

/** The allowed content of an element, and the value that it becomes. */
export interface Shape<T> {
  /** Called when an element begins. `type` is its attribute `xsi:type`. */
  open(name: string, type?: string): Opened<T>;
}

/**
 * An element that is being read. Each child is replaced by its value when it ends, so only values
 * stay in memory, and unexpected elements are rejected before they take any.
 */
export interface Opened<T> {
  /** Called when a child begins. Throws a {@link MalformedXmlError} if it is not allowed there. */
  child(name: string): Shape<unknown>;
  /** Called with the value of a child that has ended. */
  add(name: string, value: unknown): void;
  /**
   * Called when the element ends. Returns its value. Throws a {@link MalformedXmlError} for an
   * element with both children and text, or with invalid content.
   */
  end(text: string): T;
}

/** The shape of an element, and how many times it may occur. */
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

/** From `min` to `max` elements with one name. */
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
 * An element with these child elements, in any order, and no others. Unknown elements are not
 * ignored because one could limit the effect of a request, like the filter of a rule.
 */
export const fields = <F extends Fields>(known: F): Shape<ValuesOf<F>> => {
  const own = new Map(Object.entries(known));
  return { open: (name) => new OpenedFields(name, own) as Opened<unknown> as Opened<ValuesOf<F>> };
};

class OpenedFields implements Opened<Readonly<Record<string, unknown>>> {
  readonly #name: string;
  readonly #known: ReadonlyMap<string, Field<unknown>>;
  readonly #found = new Map<string, unknown[]>();

  constructor(name: string, known: ReadonlyMap<string, Field<unknown>>) {
    this.#name = name;
    this.#known = known;
  }

  child(name: string): Shape<unknown> {
    const field = this.#known.get(name);
    if (field === undefined) {
      throw new MalformedXmlError(`${this.#name} has no element ${name.slice(0, 100)}.`);
    }
    const { shape, max } = field;
    if ((this.#found.get(name)?.length ?? 0) >= max) {
      throw new MalformedXmlError(`${this.#name} has more than ${max} ${name}.`);
    }
    return shape;
  }

  add(name: string, value: unknown): void {
    const values = this.#found.get(name);
    if (values === undefined) this.#found.set(name, [value]);
    else values.push(value);
  }

  end(text: string): Readonly<Record<string, unknown>> {
    if (this.#found.size === 0 && text.trim() !== '') {
      throw new MalformedXmlError(`${this.#name} must have elements, not text.`);
    }
    const values: Record<string, unknown> = {};
    for (const [name, { min, pick }] of this.#known) {
      const found = this.#found.get(name) ?? [];
      if (found.length < min) {
        throw new MalformedXmlError(`${this.#name} needs the element ${name}.`);
      }
      const value = pick(found);
      if (value !== undefined) values[name] = value;
    }
    return values;
  }
}

/** A shape whose value is checked or converted. */
export const refined = <From, To>(
  shape: Shape<From>,
  refine: (value: From, type: string | undefined, name: string) => To,
): Shape<To> => ({
  open(name, type) {
    const opened = shape.open(name, type);
    return {
      child: (child) => opened.child(child),
      add: (child, value) => opened.add(child, value),
      end: (found) => refine(opened.end(found), type, name),
    };
  },
});

/** The unchanged text of an element. */
export const text: Shape<string> = {
  open: (name) => ({
    child() {
      throw new MalformedXmlError(`${name} must have text, not elements.`);
    },
    add() {},
    end: (found) => found,
  }),
};

/** Text without white space around it: an identifier, a name, a date. */
export const token: Shape<string> = refined(text, (found) => found.trim());

export const whole: Shape<number> = refined(token, (digits, _type, name) => {
  if (/^[+-]?\d{1,15}$/.test(digits)) return Number(digits);
  throw new MalformedXmlError(`${name} must be a whole number.`);
});

export const flag: Shape<boolean> = refined(token, (found, _type, name) => {
  const word = found.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  throw new MalformedXmlError(`${name} must be true or false.`);
});

export const oneOf = <const T extends string>(...words: readonly T[]): Shape<T> =>
  refined(token, (found, _type, name) => {
    const word = words.find((known) => known === found);
    if (word !== undefined) return word;
    throw new MalformedXmlError(`${name} must be one of ${words.join(', ')}.`);
  });
