import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { frameReader, PREFACE_BYTES } from './http2-frames.ts';
import type { Frame } from './http2-frames.ts';

/** Who wants to know what goes through a tap. */
export interface TapListener {
  /** How many bytes have come in all, before anybody looks at them; may end it all. */
  readonly onBytes: (wireBytes: number) => void;
  readonly onFrameIn: (frame: Frame) => void;
  readonly onFrameOut: (frame: Frame) => void;
}

/**
 * A socket under an HTTP/2 session, seen frame by frame. `node:http2` says neither how much came, nor whether an answer
 * was ended by its host or broken off (a reset by `NO_ERROR` looks like an end), nor that it has closed the session
 * itself for a fault of the host's; the frames do.
 */
export function frameTap(socket: Socket, { onBytes, onFrameIn, onFrameOut }: TapListener): Duplex {
  const readIn = frameReader(onFrameIn);
  const readOut = frameReader(onFrameOut, PREFACE_BYTES);
  let wireBytes = 0;
  const tap = new Duplex({
    read: () => {
      socket.resume();
    },
    write: (chunk: Buffer, _encoding, done) => {
      readOut(chunk);
      socket.write(chunk, done);
    },
    final: (done) => {
      socket.end(done);
    },
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (chunk: Buffer) => {
    wireBytes += chunk.length;
    onBytes(wireBytes);
    if (tap.destroyed || socket.destroyed) return;
    readIn(chunk);
    if (!tap.push(chunk)) socket.pause();
  });
  socket.on('end', () => tap.push(null));
  socket.on('error', (error) => tap.destroy(error));
  socket.on('close', () => tap.destroy());
  return tap;
}
