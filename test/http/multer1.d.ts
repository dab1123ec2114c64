/** multer 1 under an alias. The part that is used here is the same as in multer 2. */
declare module 'multer1' {
  import multer from 'multer';
  export default multer;
}
