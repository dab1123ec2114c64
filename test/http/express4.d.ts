/** Express 4 under an alias. Its surface, as far as it is used here, is that of Express 5. */
declare module 'express4' {
  import express from 'express';
  export default express;
}
