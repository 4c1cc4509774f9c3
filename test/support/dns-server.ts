import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

import { decode, encode, streamEncode, AUTHORITATIVE_ANSWER, type Packet } from 'dns-packet';

/** What the server says of a name. `silent` never answers. */
export type NameAnswer =
  | { readonly kind: 'address'; readonly address: string; readonly ttlSeconds: number }
  | { readonly kind: 'nameNotFound' }
  | { readonly kind: 'serverFailed' }
  | { readonly kind: 'silent' };

/** A DNS server on loopback, UDP and TCP on one port. Names unknown to it don't exist (NXDOMAIN). */
export interface DnsServer {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  /** Changes what is said of a name from now on. */
  readonly setAnswer: (name: string, answer: NameAnswer) => void;
  /** How often a name's IPv4 address was asked for. */
  readonly queriesOf: (name: string) => number;
  readonly close: () => Promise<void>;
}

/** Starts a DNS server with these names on the given port, or on a free one when it is 0. */
export async function startDnsServer(
  names: Iterable<readonly [name: string, answer: NameAnswer]>,
  port = 0,
): Promise<DnsServer> {
  const answers = new Map(names);
  const queries = new Map<string, number>();

  const reply = (request: Packet): Packet | undefined => {
    const question = request.questions?.[0];
    const name = question?.name.toLowerCase() ?? '';
    if (question?.type === 'A') queries.set(name, (queries.get(name) ?? 0) + 1);
    return replyTo(request, answers.get(name) ?? { kind: 'nameNotFound' });
  };

  const sockets = await bindBoth(port, reply);
  return {
    address: `127.0.0.1:${sockets.udp.address().port}`,
    setAnswer: (name, answer) => {
      answers.set(name.toLowerCase(), answer);
    },
    queriesOf: (name) => queries.get(name.toLowerCase()) ?? 0,
    close: () => closeBoth(sockets),
  };
}

type Reply = (request: Packet) => Packet | undefined;

interface BoundSockets {
  readonly udp: UdpSocket;
  readonly tcp: Server;
  readonly connections: ReadonlySet<Socket>;
}

const RCODE_SERVFAIL = 2;
const RCODE_NXDOMAIN = 3;

/** A known name has only an IPv4 address: any other question about it gets an empty answer. */
function replyTo(request: Packet, answer: NameAnswer): Packet | undefined {
  const question = request.questions?.[0];
  if (answer.kind === 'silent' || question === undefined) return undefined;

  const reply = (rcode: number): Packet => ({
    type: 'response',
    id: request.id ?? 0,
    flags: AUTHORITATIVE_ANSWER | rcode,
    questions: [question],
  });
  if (answer.kind === 'nameNotFound') return reply(RCODE_NXDOMAIN);
  if (answer.kind === 'serverFailed') return reply(RCODE_SERVFAIL);
  if (question.type !== 'A') return reply(0);

  const { address, ttlSeconds } = answer;
  return {
    ...reply(0),
    answers: [{ type: 'A', name: question.name, ttl: ttlSeconds, data: address }],
  };
}

const MOST_PORT_ATTEMPTS = 20;

/** A port that is free for UDP may be taken for TCP, so a free choice is tried again. */
async function bindBoth(port: number, reply: Reply): Promise<BoundSockets> {
  for (let attempt = 1; ; attempt += 1) {
    const udp = await bindUdp(port, reply);
    try {
      return { udp, ...(await listenTcp(udp.address().port, reply)) };
    } catch (cause) {
      udp.close();
      if (port !== 0 || attempt === MOST_PORT_ATTEMPTS) throw cause;
    }
  }
}

async function bindUdp(port: number, reply: Reply): Promise<UdpSocket> {
  const udp = createSocket('udp4');
  udp.on('message', (message, { address, port: from }) => {
    const answer = replyIfReadable(message, reply);
    if (answer !== undefined) udp.send(encode(answer), from, address);
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  return udp;
}

async function listenTcp(
  port: number,
  reply: Reply,
): Promise<{ readonly tcp: Server; readonly connections: ReadonlySet<Socket> }> {
  const connections = new Set<Socket>();
  const tcp = createServer((socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    // A client that goes away is no fault of this server.
    socket.on('error', () => socket.destroy());
    answerStream(socket, reply);
  });
  tcp.listen(port, '127.0.0.1');
  await once(tcp, 'listening');
  return { tcp, connections };
}

/** Over TCP each message comes after its length in two bytes (RFC 1035 §4.2.2). */
function answerStream(socket: Socket, reply: Reply): void {
  let pending = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0);
      const answer = replyIfReadable(pending.subarray(2, end), reply);
      pending = pending.subarray(end);
      if (answer !== undefined) socket.write(streamEncode(answer));
    }
  });
}

function replyIfReadable(message: Buffer, reply: Reply): Packet | undefined {
  try {
    return reply(decode(message));
  } catch {
    return undefined;
  }
}

async function closeBoth({ udp, tcp, connections }: BoundSockets): Promise<void> {
  for (const connection of connections) connection.destroy();
  await Promise.all([
    new Promise<void>((resolve) => udp.close(resolve)),
    new Promise<void>((resolve) => {
      tcp.close(() => {
        resolve();
      });
    }),
  ]);
}
