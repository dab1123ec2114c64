import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, output, type Running, startCommand } from '../run/processes.js';
import { plain } from './kind.js';

export const nginxCall = plain('');

/** Resolves to `undefined` if nginx is not installed, otherwise to whether it supports PUT. */
export async function findNginx(): Promise<{ readonly puts: boolean } | undefined> {
  const printed = await output('nginx', ['-V']);
  return printed && { puts: printed.stderr.includes('http_dav_module') };
}

/** Starts one process that serves files, and accepts PUT if it has the dav module. */
export async function startNginx(directory: string): Promise<Running> {
  const port = await freePort();
  const found = await findNginx();
  const files = join(directory, 'files');
  const temporary = join(directory, 'temporary');
  mkdirSync(files);
  mkdirSync(temporary);
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(temporary, name)};`,
  );
  const dav = found?.puts ? 'dav_methods PUT DELETE;' : '';
  const config = join(directory, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off;
master_process off;
pid ${join(directory, 'nginx.pid')};
error_log ${join(directory, 'error.log')};
events { worker_connections 4096; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  client_max_body_size 0;
  default_type application/octet-stream;
  ${own.join('\n  ')}
  server {
    listen 127.0.0.1:${port} backlog=1024;
    root ${files};
    ${dav}
  }
}
`,
  );
  return startCommand('nginx', ['-p', directory, '-c', config], port);
}
