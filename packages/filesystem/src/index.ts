export { type DirectoryWatch, type FileOperations, systemFiles } from './files.js';
export { type FilesystemBlobsOptions, filesystemBlobs } from './filesystem-blobs.js';
