import { testSharing } from '../drivers/sharing.js';
import { postgresServer } from '../keyv/servers.js';
import { sharedStores, withServer } from './fixtures.js';

withServer(await postgresServer(), (server) => {
  testSharing((t, number) => sharedStores(t, server, number));
});
