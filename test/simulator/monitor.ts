import { numberOfText } from './fingerprint.js';
import { tellsNothing } from './within.js';
import { type Move, type Moves, textOf, visible, type World } from './world.js';

/** One possible history of everything so far. */
interface Config {
  readonly world: World;
  /**
   * The state of each running operation: its progress, or its result after a `=`. Empty: not begun.
   */
  readonly open: ReadonlyMap<number, string>;
}

const keyOf = ({ world, open }: Config): string =>
  `${textOf(world)} | ${[...open].map(([id, at]) => `${id}${at}`).join(' ')}`;

/** No order of the operations explains the results that clients got. */
class NotLinearizable extends Error {}

/**
 * Keeps every order in which the operations so far may have taken effect, each at a moment between
 * its call and its result. If none is left, the history is wrong. An operation begins with its
 * first read, and changes nothing before its body has arrived. The state found after a crash must
 * be possible in one of these orders: completed operations are part of all of them, running ones of
 * some.
 */
export class Monitor {
  /** The names of uploads whose ids a client knows. */
  readonly knownUploads = new Set<string>();
  /** How many results clients have received. */
  answers = 0;
  #configs: readonly Config[];
  /** Operations whose body is arriving. */
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

  /** The operation reads for the first time at this moment, so it makes its first move. */
  begin(id: number): void {
    const begun: Config[] = [];
    for (const { world, open } of this.#close()) {
      for (const move of this.#moves.get(id)?.moves(world, '') ?? []) {
        begun.push({ world: move.world, open: new Map(open).set(id, place(move, '')) });
      }
    }
    this.#become(begun);
  }

  /** The operation waits for its body until {@link sent}. */
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

  /** The operation has failed. Unless its outcome is unknown, it has had no effect. */
  fail(id: number, unknown: boolean): void {
    const closed = this.#close();
    const left = closed.filter(({ open }) => unknown || !open.get(id)?.startsWith('='));
    this.#forget(id, left);
  }

  /** The states that may be found after a crash at this moment. */
  afterCrash(): ReadonlyMap<string, World> {
    this.#visible ??= new Map(
      this.#close().map(({ world }) => [this.#visibleOf(world), world] as const),
    );
    return this.#visible;
  }

  /** The same number for equal sets of possible states after a crash. */
  get outcomes(): number {
    this.#outcomes ??= numberOfText(`outcomes ${[...this.afterCrash().keys()].sort().join('|')}`);
    return this.#outcomes;
  }

  /** All worlds that clients cannot distinguish from the one that was found. */
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

  /** All states that running operations can reach, in any order. */
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
