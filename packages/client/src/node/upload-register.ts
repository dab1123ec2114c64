import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { UploadRegister } from '../upload/register.js';

/**
 * A register of unfinished uploads in a file, so that a later process can continue them. The file
 * is created when needed, readable only by its owner.
 */
export function uploadRegister(path: string): UploadRegister {
  const read = (): Record<string, string> => {
    try {
      return JSON.parse(readFileSync(path, 'utf8'));
    } catch (error) {
      const isNone = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (isNone || error instanceof SyntaxError) return {};
      throw error;
    }
  };
  return {
    getItem: (name) => read()[name] ?? null,
    setItem(name, value) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, JSON.stringify({ ...read(), [name]: value }), { mode: 0o600 });
      renameSync(draft, path);
    },
  };
}
