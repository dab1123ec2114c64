import { type Event, isLinearizable, type Model, type Verdict } from './linearizable.js';

/** A call of one client on one key. Contents are lists of pieces, such as `c3-17.500;`. */
export type Input =
  | { readonly kind: 'put'; readonly type: 'N' | 'A'; readonly content: string }
  | { readonly kind: 'append'; readonly offset: number; readonly content: string }
  | { readonly kind: 'get' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'move away' };

/** `ok`, a `=` with the content that was read, or an error code. */
export type Output = string;
export type ObjectEvent = Event<Input, Output>;

const ABSENT = '-';

/** The size of a content, in bytes. */
export const sizeOf = (content: string): number =>
  content.split(';').reduce((sum, piece) => sum + Number(piece.split('.')[1] ?? 0), 0);

/** The bytes of a piece, each of which shows which piece it belongs to. */
export function bytesOf(content: string): Buffer {
  const [name = '', size = '0'] = content.slice(0, -1).split('.');
  return Buffer.alloc(Number(size), `${name}.${size}|`);
}

/** The content that the bytes stand for, or what is wrong with them. */
export function contentOf(bytes: Buffer): string {
  let content = '';
  for (let at = 0; at < bytes.length; ) {
    const head = /^([\w-]+)\.(\d+)\|/.exec(bytes.toString('latin1', at, at + 40));
    if (head === null) return `${content}?`;
    const piece = `${head[1]}.${head[2]};`;
    const size = Number(head[2]);
    if (!bytes.subarray(at, at + size).equals(bytesOf(piece))) return `${content}torn ${piece}`;
    content += piece;
    at += size;
  }
  return content;
}

/**
 * The same history with one name for all contents that nobody read. Whether an order explains it
 * stays the same, but calls without a result become equal. An outage leaves dozens of those.
 */
function withoutNames(events: readonly ObjectEvent[]): ObjectEvent[] {
  const read = new Set(events.flatMap(({ output }) => output?.match(/[\w-]+\.\d+;/g) ?? []));
  const shorten = (content: string) =>
    content === '' || read.has(content) ? content : `-.${sizeOf(content)};`;
  return events.map((event): ObjectEvent => {
    const { input, output } = event;
    if (input.kind === 'append') {
      // A rejected call added nothing.
      if (output !== undefined && output !== 'ok')
        return { ...event, input: { ...input, content: '' } };
      return { ...event, input: { ...input, content: shorten(input.content) } };
    }
    // Nothing is appended to a normal object, so its size does not matter.
    if (input.kind === 'put') {
      const content = input.type === 'N' && !read.has(input.content) ? '-' : shorten(input.content);
      return { ...event, input: { ...input, content } };
    }
    // Both remove the object, and nobody read what was moved.
    const isRemoval = input.kind === 'move away' && output === undefined;
    return isRemoval ? { ...event, input: { kind: 'delete' } } : event;
  });
}

/** Whether the calls on one object are consistent with some order. */
export const happened = (events: readonly ObjectEvent[]): Verdict =>
  isLinearizable(withoutNames(events), objectModel);

/** One object. Its state is its type and its content. */
export const objectModel: Model<Input, Output> = {
  initial: ABSENT,
  isRead: ({ kind }, output) => kind === 'get' || !/^(ok|=)/.test(output),
  step(state, input, output) {
    const [next, answer] = outcome(state, input);
    if (output === undefined || output === answer) return next;
    // If the object could not be read after the move, it is only known that it was moved.
    return input.kind === 'move away' && output === 'ok' && state !== ABSENT ? next : undefined;
  },
};

function outcome(state: string, input: Input): readonly [next: string, answer: Output] {
  const content = state.slice(1);
  if (input.kind === 'put') return [input.type + input.content, 'ok'];
  if (state === ABSENT) return [state, 'NoSuchKey'];
  if (input.kind === 'get') return [state, `=${content}`];
  if (input.kind === 'delete') return [ABSENT, 'ok'];
  if (input.kind === 'move away') return [ABSENT, `=${content}`];
  if (state.startsWith('N')) return [state, 'ObjectUnappendable'];
  if (sizeOf(content) !== input.offset) return [state, 'OffsetIncorrect'];
  return [state + input.content, 'ok'];
}
