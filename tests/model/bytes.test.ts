/** Bytes from memory, files and servers: the same, in parts, until a signal fires. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBytes } from '../../web/api/model/bytes/open.js';
import { rejection } from './bytes-of.js';

const size = 3 * 2 ** 20 + 17;
const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) & 255);
const folder = mkdtempSync(path.join(tmpdir(), 'posenc-'));
const file = path.join(folder, 'a file.bin');
writeFileSync(file, bytes);

let asked: string[] = [];
const server = createServer((request, response) => {
  const { range } = request.headers;
  asked.push(range ?? 'all');
  const { url } = request;
  if (url === '/missing') return void response.writeHead(404, 'Not Found').end();
  if (url === '/never') return;
  if (url === '/empty') {
    return void response.writeHead(416, { 'Content-Range': 'bytes */0' }).end();
  }
  const match = /^bytes=(\d+)-(\d+)$/.exec(range ?? '');
  if (match === null || url === '/whole') return void response.end(bytes);
  const [start, end] = [Number(match[1]), Math.min(Number(match[2]) + 1, size)];
  const total = url === '/changing' && start > 0 ? size + 1 : size;
  const told = { 'Content-Range': `bytes ${start}-${end - 1}/${total}` };
  const given = url === '/short' ? bytes.subarray(start, end - 1) : bytes.subarray(start, end);
  response.writeHead(206, url === '/hidden' ? {} : told).end(given);
});
let host = '';
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const places: readonly (readonly [number, number])[] = [
  ...[
    [0, 8],
    [5, 100],
    [2 ** 20 - 3, 6],
    [size - 1, 1],
    [7, 2 ** 21],
    [size, 0],
    [0, size],
  ],
] as [number, number][];

describe.each([
  ['an ArrayBuffer', () => bytes.buffer],
  ['a view', () => Uint8Array.from([9, 9, 9, ...bytes]).subarray(3)],
  ['a Buffer', () => Buffer.from(bytes)],
  ['a Blob', () => new Blob([bytes])],
  ['a File', () => new File([bytes], 'a.bin')],
  ['a file: URL', () => pathToFileURL(file)],
  ['an address', () => `${host}/parts`],
  ['a server without parts', () => new URL(`${host}/whole`)],
  ['a server whose parts are short', () => `${host}/short`],
  ['a server that hides the length', () => `${host}/hidden`],
])('%s', (_, input) => {
  it('gives any part', async () => {
    const source = await openBytes(input());
    expect(source.size).toBe(size);
    for (const [offset, length] of places) {
      const part = await source.read(offset, length);
      expect(part.length).toBe(length);
      expect(Buffer.compare(part, bytes.subarray(offset, offset + length))).toBe(0);
    }
    const error = await rejection(() => source.read(size - 3, 4));
    expect(error.code).toBe('config');
    expect(error.message).toContain(`has ${size} bytes, needs bytes ${size - 3} to ${size + 1}`);
    await source.close();
  });

  it('stops when a signal has fired', async () => {
    const controller = new AbortController();
    const source = await openBytes(input(), { signal: controller.signal });
    controller.abort();
    expect((await rejection(() => source.read(2 ** 21, 9))).code).toBe('aborted');
    expect((await rejection(() => openBytes(input(), { signal: controller.signal }))).code).toBe(
      'aborted',
    );
    await source.close();
  });
});

describe('a server', () => {
  it('is asked for parts, small ones together', async () => {
    asked = [];
    const source = await openBytes(`${host}/parts`);
    await source.read(0, 8);
    await source.read(8, 1000);
    await source.read(2 ** 20, 5);
    await source.read(2 ** 20 + 5, 5);
    expect(asked).toEqual(['bytes=0-1048575', 'bytes=1048576-2097151']);
    asked = [];
    await (await openBytes(`${host}/whole`)).read(9, 9);
    expect(asked).toEqual(['bytes=0-1048575']);
  });

  it('may fail', async () => {
    expect((await rejection(() => openBytes(`${host}/missing`))).message).toBe(
      `cannot read ${host}/missing: the server answered 404 Not Found`,
    );
    expect((await rejection(() => openBytes('http://127.0.0.1:1/'))).code).toBe('config');
    const changing = await openBytes(`${host}/changing`);
    expect((await rejection(() => changing.read(2 ** 21, 9))).message).toContain('it changed');
    expect((await openBytes(`${host}/empty`)).size).toBe(0);
  });

  it('is left when a signal fires', async () => {
    const signal = AbortSignal.timeout(50);
    expect((await rejection(() => openBytes(`${host}/never`, { signal }))).code).toBe('aborted');
  });
});

it.each([
  [undefined, 'source is missing'],
  [7, 'source is 7'],
  ['no address', 'source is "no address"'],
  [new Float32Array(1), 'source is a Float32Array'],
])('refuses %j', async (input, message) => {
  const error = await rejection(() => openBytes(input as never));
  expect(error.code).toBe('argument');
  expect(error.message).toContain(message);
});

it('names a file that is not there', async () => {
  const error = await rejection(() => openBytes(pathToFileURL(path.join(folder, 'none'))));
  expect(error.code).toBe('config');
  expect(error.message).toContain('ENOENT');
});
