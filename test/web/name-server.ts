import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode, RECURSION_DESIRED } from 'dns-packet';
import type { Answer, Question } from 'dns-packet';
import { onTestFinished } from 'vitest';

/** What to say to a question; `silence` sends nothing. */
export type NameAnswer =
  | {
      readonly kind: 'records';
      readonly addresses: readonly string[];
      readonly ttlSeconds?: number;
      /** Names that lead from the one asked for to the one with the addresses, as CNAME records. */
      readonly aliases?: readonly string[];
    }
  | { readonly kind: 'noSuchName' }
  | { readonly kind: 'serverFailure' }
  | { readonly kind: 'silence' };

/** A name server on loopback that remembers what it was asked. */
export interface NameServer {
  /** `host:port`. */
  readonly address: string;
  /** As `A name`, in order. */
  readonly questions: readonly string[];
}

const NO_RECORDS: NameAnswer = { kind: 'records', addresses: [] };

/** RFC 1035 §4.1.1. */
const RCODE = { serverFailure: 2, noSuchName: 3 };

/** Starts a name server; it ends with the test. Questions that `answer` leaves open have no records. */
export async function nameServer(
  answer: (question: string, askedBefore: number) => NameAnswer | undefined,
): Promise<NameServer> {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, sender) => {
    const packet = decode(message);
    const [question] = packet.questions ?? [];
    if (question === undefined) return;
    const asked = `${question.type} ${question.name}`;
    const askedBefore = questions.filter((other) => other === asked).length;
    questions.push(asked);
    reply(socket, sender, packet.id ?? 0, question, answer(asked, askedBefore) ?? NO_RECORDS);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => {
    socket.close();
  });
  return { address: `127.0.0.1:${socket.address().port}`, questions };
}

function reply(
  socket: Socket,
  sender: { readonly port: number; readonly address: string },
  id: number,
  question: Question,
  said: NameAnswer,
): void {
  if (said.kind === 'silence') return;
  const answers = said.kind === 'records' ? recordsOf(question, said) : [];
  const rcode = said.kind === 'records' ? 0 : RCODE[said.kind];
  const flags = RECURSION_DESIRED | rcode;
  const packet = encode({ type: 'response', id, flags, questions: [question], answers });
  socket.send(packet, sender.port, sender.address);
}

function recordsOf(
  { name, type }: Question,
  { addresses, ttlSeconds = 300, aliases = [] }: Extract<NameAnswer, { readonly kind: 'records' }>,
): Answer[] {
  const names = [name, ...aliases];
  return [
    ...aliases.map((data, at): Answer => ({
      name: names[at] ?? name,
      type: 'CNAME',
      data,
      ttl: ttlSeconds,
    })),
    ...addresses.map((data): Answer => ({
      name: names.at(-1) ?? name,
      type: type === 'A' ? 'A' : 'AAAA',
      data,
      ttl: ttlSeconds,
    })),
  ];
}
