import { Keyv } from 'keyv';
import { sqliteFile } from '../keyv/fixtures.js';
import { testKeyvConformance } from '../http/keyv-storage.js';
import { carriers } from '../http/servers.js';

const file = sqliteFile();
const noServer = { url: '', stop: () => file.remove() };
testKeyvConformance(carriers.koa, noServer, () => new Keyv({ store: file.open() }));
