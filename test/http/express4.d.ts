/** Express 4 under an alias. The part that is used here is the same as in Express 5. */
declare module 'express4' {
  import express from 'express';
  export default express;
}
