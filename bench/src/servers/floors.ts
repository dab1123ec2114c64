import { startProgram } from '../run/processes.js';
import { type Kind, plain } from './kind.js';
import { nginxCall, startNginx } from './nginx.js';
import { program } from './ours.js';

const constant = (framework: 'koa' | 'express', title: string): Kind => ({
  name: `constant-${framework}`,
  title,
  syncs: false,
  start: () => startProgram(program('constant'), [framework]),
  call: plain(''),
});

/** Servers that do less, to show the minimum cost of the same work. */
export const floors: readonly Kind[] = [
  {
    name: 'bare',
    title: 'bare node:http',
    syncs: true,
    start: ({ directory }) => startProgram(program('bare'), [directory]),
    call: plain(''),
  },
  {
    name: 'sketch',
    title: 'a sketch on Koa and LMDB',
    syncs: true,
    async start({ directory, headers }) {
      return startProgram(program('sketch'), [directory, JSON.stringify(await headers())]);
    },
    call: plain(''),
  },
  constant('koa', 'Koa, constant response'),
  constant('express', 'Express, constant response'),
  {
    name: 'nginx',
    title: 'nginx',
    needs: 'nginx',
    syncs: false,
    start: ({ directory }) => startNginx(directory),
    call: nginxCall,
  },
];
