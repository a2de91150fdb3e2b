/** Bytes that lie somewhere, read in pieces. */

/** Where bytes may come from: memory, a file the user picked, an address, a `file:` URL in Node. */
export type ByteInput = ArrayBuffer | Uint8Array | Blob | URL | string;

/** What the readers of {@link ByteInput} take. */
export interface ByteOptions {
  /** Stops downloads and reads. */
  signal?: AbortSignal;
}

/** Bytes of a known length, of which any part can be read. */
export interface ByteSource {
  /** For messages: an address, the name of a file, or what kind of object was given. */
  readonly name: string;
  /** How many bytes. */
  readonly size: number;
  /** Whether `read` gives arrays that nothing else holds; else they must be copied before a change. */
  readonly fresh: boolean;
  /**
   * The bytes from `offset` to `offset + length`, which must lie inside.
   * @throws PosencError `config` where they cannot be read, `aborted` when the signal fired
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Closes what is open. */
  close(): Promise<void>;
}
