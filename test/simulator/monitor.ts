import { numberOfText } from './fingerprint.js';
import { tellsNothing } from './within.js';
import { type Move, type Moves, textOf, visible, type World } from './world.js';

/** One way in which everything may have happened so far. */
interface Config {
  readonly world: World;
  /** Where each open operation is: how far it came, or its result behind a `=`. Empty: not begun. */
  readonly open: ReadonlyMap<number, string>;
}

const keyOf = ({ world, open }: Config): string =>
  `${textOf(world)} | ${[...open].map(([id, at]) => `${id}${at}`).join(' ')}`;

/** What clients were told cannot have happened in any order. */
class NotLinearizable extends Error {}

/**
 * Keeps all ways in which the calls and answers so far can have happened one after another, each
 * operation at some instant between its call and its answer. No way left: the history is wrong.
 * An operation begins with its first reading, and changes nothing before its body has arrived.
 * After a crash what is found must be one of these ways: an answered operation is in all of them,
 * one under way in some.
 */
export class Monitor {
  /** Uploads whose ids a client was told. */
  readonly knownUploads = new Set<string>();
  /** How often somebody was told how a call ended. */
  answers = 0;
  #configs: readonly Config[];
  /** Operations whose body is on its way. */
  readonly #sending = new Set<number>();
  readonly #moves = new Map<number, { name: string; moves: Moves }>();
  #closed: readonly Config[] | undefined;
  #visible: ReadonlyMap<string, World> | undefined;
  readonly #texts = new WeakMap<World, { readonly count: number; readonly text: string }>();
  #outcomes: number | undefined;
  #lastId = 0;

  constructor(worlds: readonly World[]) {
    this.#configs = worlds.map((world) => ({ world, open: new Map() }));
  }

  call(name: string, moves: Moves): number {
    const id = ++this.#lastId;
    this.#moves.set(id, { name, moves });
    this.#become(
      this.#configs.map(({ world, open }) => ({ world, open: new Map(open).set(id, '') })),
    );
    return id;
  }

  /** The first reading of an operation happens at this instant: here it makes its first move. */
  begin(id: number): void {
    const begun: Config[] = [];
    for (const { world, open } of this.#close()) {
      for (const move of this.#moves.get(id)?.moves(world, '') ?? []) {
        begun.push({ world: move.world, open: new Map(open).set(id, place(move, '')) });
      }
    }
    this.#become(begun);
  }

  /** From now on until {@link sent} the operation waits for its body. */
  sending(id: number): void {
    this.#sending.add(id);
  }

  sent(id: number): void {
    this.#sending.delete(id);
    this.#become(this.#configs);
  }

  answer(id: number, result: string): void {
    const left = this.#close().filter(({ open }) => open.get(id) === `=${result}`);
    if (left.length === 0) {
      const { name } = this.#moves.get(id) as { name: string };
      const others = [...this.#moves].filter(([other]) => other !== id).map(([, op]) => op.name);
      const before = this.#configs.slice(0, 4).map(({ world }) => textOf(world));
      throw new NotLinearizable(
        `${name} answered ${result}; under way: ${others.join(', ') || 'nothing'}; before: ${before.join(' OR ')}`,
      );
    }
    this.#forget(id, left);
  }

  /** An operation failed. Unless its outcome is unknown, it did not do what it was to do. */
  fail(id: number, unknown: boolean): void {
    const closed = this.#close();
    const left = closed.filter(({ open }) => unknown || !open.get(id)?.startsWith('='));
    this.#forget(id, left);
  }

  /** What may be found after a crash at this instant. */
  afterCrash(): ReadonlyMap<string, World> {
    this.#visible ??= new Map(
      this.#close().map(({ world }) => [this.#visibleOf(world), world] as const),
    );
    return this.#visible;
  }

  /** The same number for the same outcomes of a crash. */
  get outcomes(): number {
    this.#outcomes ??= numberOfText(`outcomes ${[...this.afterCrash().keys()].sort().join('|')}`);
    return this.#outcomes;
  }

  /** All worlds that look like what was found. */
  worldsLike(found: string): World[] {
    const worlds = new Map<string, World>();
    for (const { world } of this.#close()) {
      if (visible(world, this.knownUploads) === found) worlds.set(textOf(world), world);
    }
    return [...worlds.values()];
  }

  #visibleOf(world: World): string {
    let known = this.#texts.get(world);
    if (known?.count !== this.knownUploads.size) {
      known = { count: this.knownUploads.size, text: visible(world, this.knownUploads) };
      this.#texts.set(world, known);
    }
    return known.text;
  }

  #forget(id: number, configs: readonly Config[]): void {
    this.#moves.delete(id);
    this.#sending.delete(id);
    this.answers++;
    const left = new Map<string, Config>();
    for (const { world, open } of configs) {
      const rest = new Map(open);
      rest.delete(id);
      const config = { world, open: rest };
      left.set(keyOf(config), config);
    }
    this.#become([...left.values()]);
  }

  #become(configs: readonly Config[]): void {
    this.#configs = configs;
    this.#closed = undefined;
    this.#visible = undefined;
    this.#outcomes = undefined;
  }

  /** All that is reached when open operations go on, in any order, as far as they like. */
  #close(): readonly Config[] {
    if (this.#closed) return this.#closed;
    const found = new Map(this.#configs.map((config) => [keyOf(config), config]));
    for (const { world, open } of found.values()) {
      for (const [id, at] of open) {
        if (at === '' || at.startsWith('=')) continue;
        for (const move of this.#moves.get(id)?.moves(world, at) ?? []) {
          if (this.#sending.has(id) && !tellsNothing(move, world)) continue;
          const config = { world: move.world, open: new Map(open).set(id, place(move, at)) };
          const key = keyOf(config);
          if (!found.has(key)) found.set(key, config);
        }
      }
      if (found.size > 20_000)
        throw new Error('Too many ways to follow: fewer clients are needed.');
    }
    this.#closed = [...found.values()];
    return this.#closed;
  }
}

const place = ({ result, progress }: Move, at: string): string =>
  result === undefined ? (progress ?? at) : `=${result}`;
