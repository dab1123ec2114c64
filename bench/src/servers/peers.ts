import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { send } from '../load/connection.js';
import { freePort, startCommand, startProgram } from '../run/processes.js';
import { BUCKET } from './fixed.js';
import { type Action, type Kind, plain } from './kind.js';
import { program } from './ours.js';

const TUS = { 'Tus-Resumable': '1.0.0' };
const ACCOUNT = 'bench';
const ACCOUNT_KEY = randomBytes(64).toString('base64');
/** A shared access signature for the whole account, which is part of each URL. */
const SIGNATURE = sharedAccessSignature('2021-10-04', '2035-01-01T00:00:00Z');

/** Other object servers from npm. None of them syncs data before it acknowledges a request. */
export const peers: readonly Kind[] = [
  {
    name: 's3rver',
    title: 's3rver',
    needs: 'npm',
    syncs: false,
    start: ({ peers: folder, directory }) => startProgram(program('s3rver'), [folder, directory]),
    call: plain(`/${BUCKET}`),
  },
  {
    name: 'tus',
    title: '@tus/server',
    needs: 'npm',
    syncs: false,
    start: ({ peers: folder, directory }) => startProgram(program('tus'), [folder, directory]),
    call: tusCall,
  },
  {
    name: 'azurite',
    title: 'Azurite',
    needs: 'npm',
    syncs: false,
    async start({ peers: folder, directory }) {
      const port = await freePort();
      const main = join(folder, 'node_modules/azurite/dist/src/blob/main.js');
      const options = ['--silent', '--disableTelemetry', '--skipApiVersionCheck', '--loose'];
      const args = [main, ...options, '--blobPort', String(port), '--location', directory];
      return startCommand(process.execPath, args, port, {
        AZURITE_ACCOUNTS: `${ACCOUNT}:${ACCOUNT_KEY}`,
      });
    },
    prepare: (port) =>
      send(port, {
        method: 'PUT',
        path: `/${ACCOUNT}/${BUCKET}?restype=container&${SIGNATURE}`,
        length: 0,
      }),
    call(action, key) {
      const call = plain(`/${ACCOUNT}/${BUCKET}`)(action, `${key}?${SIGNATURE}`);
      return action === 'put' ? { ...call, headers: { 'x-ms-blob-type': 'BlockBlob' } } : call;
    },
  },
];

/** An upload is created with its whole content in one request. */
function tusCall(action: Action, key: string, size: number) {
  if (action !== 'put') return plain('/files', TUS)(action, key);
  const type = { 'Content-Type': 'application/offset+octet-stream' };
  const name: Record<string, string> = key.includes('%d') ? {} : { 'X-Name': key };
  const headers = { ...TUS, ...type, 'Upload-Length': String(size), ...name };
  return { method: 'POST', path: '/files', headers };
}

/** https://learn.microsoft.com/rest/api/storageservices/create-account-sas */
function sharedAccessSignature(version: string, until: string): string {
  const [permissions, services, resources] = ['rwdlac', 'b', 'sco'];
  const signed = [ACCOUNT, permissions, services, resources, '', until, '', 'http,https', version];
  const text = `${[...signed, ''].join('\n')}\n`;
  const sig = createHmac('sha256', Buffer.from(ACCOUNT_KEY, 'base64'))
    .update(text)
    .digest('base64');
  const fields = { sv: version, ss: services, srt: resources, sp: permissions, se: until };
  return new URLSearchParams({ ...fields, spr: 'http,https', sig }).toString();
}
