import type { IncomingMessage } from 'node:http';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether the host of a request is this machine or the public URL. A page can make its own name
 * resolve to 127.0.0.1 (DNS rebinding). To the browser, its requests then have the same origin, but
 * their host is still that name.
 */
export function ownHosts(publicUrl: string | undefined): (req: IncomingMessage) => boolean {
  const names = new Set(LOOPBACK);
  const own = hostNameOf(publicUrl ?? '');
  if (own !== undefined) names.add(own);
  const isOwn = (url: string) => names.has(hostNameOf(url) ?? '');
  return ({ url = '/', headers }) =>
    isOwn(`http://${headers.host ?? ''}`) && (url.startsWith('/') || isOwn(url));
}

const hostNameOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).hostname : undefined;
