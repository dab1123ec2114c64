export { type AccessLogOptions, accessLog } from './access-log.js';
