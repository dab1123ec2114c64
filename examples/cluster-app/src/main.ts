import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { serve } from './serve.js';
import { supervise } from './supervise.js';

const { WORKERS = String(availableParallelism()) } = process.env;

// node:cluster runs this file in each process. The first one only starts the others.
if (cluster.isPrimary) supervise(Number(WORKERS));
else await serve();
