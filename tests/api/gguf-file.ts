/** Small GGUF files for tests. */

/** A GGUF file of version 3 without tensors: texts, and numbers as uint32 or float32. */
export function ggufFile(metadata: Record<string, string | number>): Buffer {
  const text = (value: string): Buffer => {
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(value.length));
    return Buffer.concat([length, Buffer.from(value)]);
  };
  const word = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const entries = Object.entries(metadata).flatMap(([key, value]) => {
    if (typeof value === 'string') return [text(key), word(8), text(value)];
    return [text(key), word(4), word(value)];
  });
  const counts = Buffer.alloc(16);
  counts.writeBigUInt64LE(BigInt(Object.keys(metadata).length), 8);
  return Buffer.concat([Buffer.from('GGUF'), word(3), counts, ...entries]);
}
