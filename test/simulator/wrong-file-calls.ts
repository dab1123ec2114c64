import { bound, type Drivers, ROOT, rightDrivers, type WrongProtocol } from './protocol.js';

const wrongFiles = (files: Drivers['files']): Drivers => ({ ...rightDrivers, files });

/** Mistakes in system calls. */
export const wrongFileCalls: readonly WrongProtocol[] = [
  {
    name: 'files are not synced',
    drivers: wrongFiles((files) => {
      const blobs = new Set<number>();
      const sync = async (file: number) => (blobs.has(file) ? undefined : files.sync(file));
      return {
        ...bound(files),
        sync,
        syncData: sync,
        async open(path, flags) {
          const file = await files.open(path, flags);
          if (path.startsWith(`${ROOT}/storage.json`)) blobs.delete(file);
          else blobs.add(file);
          return file;
        },
      };
    }),
  },
  {
    name: 'directories are not synced',
    drivers: wrongFiles((files) => ({
      ...bound(files),
      syncDirectory: async (path) => (path === ROOT ? files.syncDirectory(path) : undefined),
    })),
  },
  {
    name: 'a directory is synced, but not its name in its parent',
    drivers: wrongFiles((files) => {
      let isNew = false;
      return {
        ...bound(files),
        async makeDirectory(path) {
          await files.makeDirectory(path);
          isNew = true;
        },
        async syncDirectory(path) {
          if (path === ROOT && isNew) isNew = false;
          else await files.syncDirectory(path);
        },
      };
    }),
  },
  {
    name: 'a failed sync is retried and then reported as a success',
    needsFaults: true,
    drivers: wrongFiles((files) => {
      const sync = (file: number) => files.sync(file).catch(() => files.sync(file));
      return { ...bound(files), sync, syncData: sync };
    }),
  },
  {
    name: 'a short write is treated as complete',
    needsFaults: true,
    drivers: wrongFiles((files) => ({
      ...bound(files),
      async write(file, bytes, position) {
        await files.write(file, bytes, position);
        return bytes.length;
      },
    })),
  },
];
