/** Bytes to text, as they come: a character that is not whole yet waits. */
export class BytesStream {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  push(bytes: Uint8Array): string {
    return this.decoder.decode(bytes, { stream: true });
  }

  end(): string {
    return this.decoder.decode();
  }
}
