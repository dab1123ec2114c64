import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answersHttp, type Daemon, startDaemon } from './daemon.js';
import { findProgram } from './programs.js';

const locations = fileURLToPath(new URL('../nginx/locations.conf', import.meta.url));

/** Starts nginx in front of the app servers, on a port of this machine. */
export async function startNginx(
  directory: string,
  port: number,
  hosts: readonly number[],
): Promise<Daemon> {
  await mkdir(join(directory, 'temp'), { recursive: true });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${directory}/temp/${kind};`,
  );
  const servers = hosts.map((host) => `    server 127.0.0.1:${host} max_fails=1 fail_timeout=2s;`);
  const conf = join(directory, 'nginx.conf');
  const lines = [
    ...['daemon off;', `pid ${directory}/nginx.pid;`, `error_log ${directory}/error.log;`],
    ...['events {}', 'http {', '  access_log off;', ...temporary],
    ...['  upstream hosts {', ...servers, '    keepalive 16;', '  }'],
    ...['  server {', `    listen 127.0.0.1:${port};`, `    include ${locations};`, '  }', '}', ''],
  ];
  await writeFile(conf, lines.join('\n'));
  return startDaemon({
    program: (await findProgram('nginx')) ?? 'nginx',
    args: ['-p', directory, '-c', conf, '-e', join(directory, 'error.log')],
    isReady: answersHttp(`http://127.0.0.1:${port}/health`),
    stopSignal: 'SIGQUIT',
  });
}
