import { Keyv } from 'keyv';
import { testKeyvConformance } from '../http/database-storage.js';
import { onKoa } from '../http/servers.js';
import { sqliteFile } from '../keyv/fixtures.js';

const file = sqliteFile();
const noServer = { url: '', stop: () => file.remove() };
testKeyvConformance(onKoa, noServer, () => new Keyv({ store: file.open() }));
