// s3rver with one bucket. Usage: `node s3rver.js <folder of its package> <directory>`
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { BUCKET } from '../servers/fixed.js';

type S3rver = new (options: object) => { run(): Promise<{ readonly port: number }> };

const [peers = '', directory = ''] = process.argv.slice(2);
const Server = createRequire(join(peers, 'package.json'))('s3rver') as S3rver;
const server = new Server({
  directory,
  address: '127.0.0.1',
  port: 0,
  silent: true,
  configureBuckets: [{ name: BUCKET }],
});
const { port } = await server.run();
process.send?.(port);
process.once('disconnect', () => process.exit());
