import { hex } from '../http/encoding.js';

/** The MD5 of data in hexadecimal (RFC 1321): the ETag of a part. WebCrypto has no MD5. */

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const SINES = Int32Array.from({ length: 64 }, (_, at) => Math.abs(Math.sin(at + 1)) * 2 ** 32);

function mix(state: Int32Array, words: Int32Array): void {
  let [a, b, c, d] = state as unknown as [number, number, number, number];
  for (let at = 0; at < 64; at++) {
    const round = at >> 4;
    let f: number;
    let word: number;
    if (round === 0) [f, word] = [(b & c) | (~b & d), at];
    else if (round === 1) [f, word] = [(d & b) | (~d & c), (5 * at + 1) & 15];
    else if (round === 2) [f, word] = [b ^ c ^ d, (3 * at + 5) & 15];
    else [f, word] = [c ^ (b | ~d), (7 * at) & 15];
    const sum = (a + f + (SINES[at] as number) + (words[word] as number)) | 0;
    const shift = SHIFTS[(round << 2) | (at & 3)] as number;
    a = d;
    d = c;
    c = b;
    b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
}

export function md5(bytes: Uint8Array): string {
  const state = new Int32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]);
  const words = new Int32Array(16);
  const take = (view: DataView, at: number) => {
    for (let word = 0; word < 16; word++) words[word] = view.getInt32(at + 4 * word, true);
    mix(state, words);
  };
  const { length } = bytes;
  const whole = length - (length % 64);
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  for (let at = 0; at < whole; at += 64) take(view, at);
  const tail = new Uint8Array(length - whole < 56 ? 64 : 128);
  tail.set(bytes.subarray(whole));
  tail[length - whole] = 0x80;
  const end = new DataView(tail.buffer);
  end.setBigUint64(tail.length - 8, BigInt(length * 8), true);
  for (let at = 0; at < tail.length; at += 64) take(end, at);
  return hex(new Uint8Array(state.buffer));
}
