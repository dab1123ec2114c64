import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a server, whose connections a test can cut or stall. */
export interface TcpProxy {
  readonly port: number;
  /** Ends all connections; new ones work. */
  cut(): void;
  /** Forwards nothing, and gives new connections no response, until `resume`. */
  stall(): void;
  resume(): void;
  /** Breaks the connection that next sends this text, instead of forwarding the response. */
  loseReplyTo(text: string): void;
  close(): Promise<void>;
}

export async function tcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isStalled = false;
  let lost: string | undefined;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    if (isStalled) socket.pause();
    return socket;
  };
  const server = createServer((client) => {
    const upstream = keep(connect(target, '127.0.0.1'));
    keep(client).on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    let isLost = false;
    client.on('data', (bytes) => {
      if (lost !== undefined && bytes.includes(lost)) {
        isLost = true;
        lost = undefined;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => void (isLost ? client.destroy() : client.write(bytes)));
    if (isStalled) for (const socket of [client, upstream]) socket.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    stall() {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    loseReplyTo(text) {
      lost = text;
    },
    async close() {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
}
