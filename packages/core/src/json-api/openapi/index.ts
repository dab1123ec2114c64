export { type OpenApiDocument, type OpenApiOptions, openApi } from './document.js';
