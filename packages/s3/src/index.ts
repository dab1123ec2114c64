export { NAMESPACE, writeXml, type XmlChildren, type XmlContent } from './xml/write.js';
