export {
  type RawExchange,
  type RawRequest,
  toWebHandler,
  type WebHandler,
  type WebStorageOptions,
} from './handler.js';
