import KeyvRedis from '@keyv/redis';
import { Keyv } from 'keyv';
import { testKeyvConformance } from '../http/database-storage.js';
import { carriers } from '../http/servers.js';
import { redisServer } from '../keyv/servers.js';

const server = await redisServer();
testKeyvConformance(carriers.koa, server, (url) => new Keyv({ store: new KeyvRedis(url) }));
