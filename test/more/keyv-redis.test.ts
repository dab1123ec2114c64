import KeyvRedis from '@keyv/redis';
import { Keyv } from 'keyv';
import { testKeyvConformance } from '../http/database-storage.js';
import { onKoa } from '../http/servers.js';
import { redisServer } from '../keyv/servers.js';

const server = await redisServer();
testKeyvConformance(onKoa, server, (url) => new Keyv({ store: new KeyvRedis(url) }));
