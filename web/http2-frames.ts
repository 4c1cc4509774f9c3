/** One frame, as far as it is looked at (RFC 9113 §4.1). */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** The first eight bytes at most. */
  readonly start: Buffer;
}

/** Types and the one flag that matter here (RFC 9113 §6). */
export const FRAME = { data: 0, headers: 1, reset: 3, goAway: 7 } as const;
export const END_STREAM = 1;

/** What a client says before its first frame (RFC 9113 §3.4). */
export const PREFACE_BYTES = 24;

const HEAD_BYTES = 9;
const START_BYTES = 8;

/**
 * Reads frames out of chunks however they are cut, and tells each as soon as its start is there. Keeps no more than 17 bytes.
 *
 * @param skipBytes what comes before the first frame.
 */
export function frameReader(
  onFrame: (frame: Frame) => void,
  skipBytes = 0,
): (chunk: Buffer) => void {
  const seen = Buffer.alloc(HEAD_BYTES + START_BYTES);
  let seenBytes = 0;
  let skip = skipBytes;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      const passedOver = Math.min(skip, chunk.length - at);
      skip -= passedOver;
      at += passedOver;
      const wanted = wantedBytes(seen, seenBytes);
      const copied = chunk.copy(seen, seenBytes, at, at + wanted - seenBytes);
      seenBytes += copied;
      at += copied;
      if (seenBytes < HEAD_BYTES || seenBytes < wantedBytes(seen, seenBytes)) continue;
      onFrame(frameOf(seen, seenBytes));
      skip = seen.readUIntBE(0, 3) - (seenBytes - HEAD_BYTES);
      seenBytes = 0;
    }
  };
}

function wantedBytes(seen: Buffer, seenBytes: number): number {
  return seenBytes < HEAD_BYTES
    ? HEAD_BYTES
    : HEAD_BYTES + Math.min(START_BYTES, seen.readUIntBE(0, 3));
}

function frameOf(seen: Buffer, seenBytes: number): Frame {
  return {
    type: seen.readUInt8(3),
    flags: seen.readUInt8(4),
    stream: seen.readUInt32BE(5) & 0x7fffffff,
    start: Buffer.from(seen.subarray(HEAD_BYTES, seenBytes)),
  };
}

/** The error code of a frame that resets a stream or goes away; `undefined` of any other, or where it has none. */
export function errorCodeOf({ type, start }: Frame): number | undefined {
  if (type === FRAME.reset && start.length >= 4) return start.readUInt32BE(0);
  return type === FRAME.goAway && start.length >= 8 ? start.readUInt32BE(4) : undefined;
}

/** RFC 9113 §7. */
export const NO_ERROR = 0;
export const HTTP_1_1_REQUIRED = 13;

/** What an error code is called. */
export function errorName(code: number): string {
  return ERROR_NAMES[code] ?? `error ${code}`;
}

const ERROR_NAMES: readonly string[] = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
];
