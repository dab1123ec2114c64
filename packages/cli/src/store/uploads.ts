import { homedir } from 'node:os';
import { join } from 'node:path';
import { type UploadRegister, uploadRegister } from '@bucketware/client/node';

/** The register of uploads that earlier runs of this user left unfinished. */
export function uploads(): UploadRegister {
  const home = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  return uploadRegister(join(home, 'bucketware', 'uploads.json'));
}
