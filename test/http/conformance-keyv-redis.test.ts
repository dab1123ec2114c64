import KeyvRedis from '@keyv/redis';
import { Keyv } from 'keyv';
import { redisServer } from '../keyv/servers.js';
import { testKeyvConformance } from './database-storage.js';
import { carriers } from './servers.js';

const server = await redisServer();
testKeyvConformance(carriers.koa, server, (url) => new Keyv({ store: new KeyvRedis(url) }));
