/** A minimal PNG writer: palette images, stored (not compressed). PNG specification, 3rd edition (W3C 2025). */

const SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10);
const MAX_STORED_BLOCK = 65535;

/**
 * Encodes an image of palette indices.
 * @param pixels `[height, width]`, 0 … 255; index 255 is transparent.
 * @param palette `[256, 3]` red, green, blue.
 */
export function encodePng(
  width: number,
  height: number,
  pixels: Uint8Array,
  palette: Uint8Array,
): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 3], 8); // 8 bits, palette
  const rows = new Uint8Array(height * (width + 1)); // every row starts with filter type 0
  for (let y = 0; y < height; y++)
    rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const alpha = new Uint8Array(256).fill(255);
  alpha[255] = 0;
  return join([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('tRNS', alpha),
    chunk('IDAT', zlibStored(rows)),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

/** zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4). */
function zlibStored(data: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0x78, 0x01)];
  for (let start = 0; start < data.length; start += MAX_STORED_BLOCK) {
    const block = data.subarray(start, start + MAX_STORED_BLOCK);
    const last = start + MAX_STORED_BLOCK >= data.length ? 1 : 0;
    const { length } = block;
    parts.push(Uint8Array.of(last, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255));
    parts.push(block);
  }
  let [a, b] = [1, 0];
  for (const byte of data) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  parts.push(bigEndian(((b << 16) | a) >>> 0));
  return join(parts);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = join([Uint8Array.from(type, (c) => c.charCodeAt(0)), data]);
  return join([bigEndian(data.length), body, bigEndian(crc32(body))]);
}

function crc32(data: Uint8Array): number {
  let crc = ~0;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function bigEndian(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
