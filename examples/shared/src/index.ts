/** What the examples have in common, independent of a framework. */

export { accessKeys } from './access-keys.js';
export { closeServer } from './close-server.js';
export { loginPage, uploadPage } from './pages.js';
export { uploadBucket } from './upload-bucket.js';
export { logIn, userNamed, userOfCookie, users } from './users.js';
export { type Started, welcome } from './welcome.js';
