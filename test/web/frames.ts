/** A frame of any kind (RFC 9113 §4.1). */
export function frame(
  type: number,
  { flags = 0, stream = 1 }: { readonly flags?: number; readonly stream?: number } = {},
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export const SETTINGS = frame(4, { stream: 0 });
export const SETTINGS_TAKEN = frame(4, { stream: 0, flags: 1 });

const END_STREAM = 1;
const END_HEADERS = 4;

/** `:status: 200`, of the static table (RFC 7541 appendix A). */
export const OK = Buffer.from([0x88]);

/** A field that leaves the dynamic table alone (RFC 7541 §6.2.2), in one byte a character. */
export function field(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

/** A field that is remembered (RFC 7541 §6.2.1), and how it is named again. */
export function rememberedField(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x40]), text(name), text(value)]);
}
export const REMEMBERED = 0xbe;

export function headers(...fields: readonly Buffer[]): Buffer {
  return frame(1, { flags: END_HEADERS }, Buffer.concat(fields));
}

export function lastHeaders(...fields: readonly Buffer[]): Buffer {
  return frame(1, { flags: END_HEADERS | END_STREAM }, Buffer.concat(fields));
}

/** A header block that goes on, and goes on. */
export function openHeaders(...fields: readonly Buffer[]): Buffer {
  return frame(1, {}, Buffer.concat(fields));
}
export function continuation(...fields: readonly Buffer[]): Buffer {
  return frame(9, {}, Buffer.concat(fields));
}

export function data(body: string): Buffer {
  return frame(0, {}, Buffer.from(body));
}

export function lastData(body: string): Buffer {
  return frame(0, { flags: END_STREAM }, Buffer.from(body));
}

/** One byte in 251 of nothing. */
export function paddedData(): Buffer {
  return frame(
    0,
    { flags: 8 },
    Buffer.concat([Buffer.from([250]), Buffer.from('x'), Buffer.alloc(250)]),
  );
}

export function reset(code: number): Buffer {
  return frame(3, {}, fourBytes(code));
}

export function goAway(lastStream: number, code: number): Buffer {
  return frame(7, { stream: 0 }, Buffer.concat([fourBytes(lastStream), fourBytes(code)]));
}

/** A promise of stream 2, with a right request in it. */
export function pushPromise(): Buffer {
  const request = Buffer.concat([Buffer.from([0x82, 0x87, 0x84]), field(':authority', 'a.test')]);
  return frame(5, { flags: END_HEADERS }, Buffer.concat([fourBytes(2), request]));
}

function fourBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A string literal without Huffman's code (RFC 7541 §5.2), its length as a number with a prefix of seven bits (§5.1). */
function text(words: string): Buffer {
  const bytes = Buffer.from(words, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}
