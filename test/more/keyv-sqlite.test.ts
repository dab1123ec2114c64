import { Keyv } from 'keyv';
import { testKeyvConformance } from '../http/database-storage.js';
import { carriers } from '../http/servers.js';
import { sqliteFile } from '../keyv/fixtures.js';

const file = sqliteFile();
const noServer = { url: '', stop: () => file.remove() };
testKeyvConformance(carriers.koa, noServer, () => new Keyv({ store: file.open() }));
