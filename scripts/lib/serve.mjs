/** A small server of static files, for the built site and its tests. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml; charset=utf-8',
};

const isFile = (path) => existsSync(path) && statSync(path).isFile();

/**
 * What answers a path: the file itself, a folder's index or a page without its `.html`. A folder
 * without its slash is sent there, as the page would otherwise take itself for another.
 */
function find(folder, pathname) {
  const path = normalize(join(folder, pathname));
  if (path !== folder && !path.startsWith(folder + sep)) return {};
  const index = join(path, 'index.html');
  if (isFile(index) && !pathname.endsWith('/')) return { redirect: `${pathname}/` };
  return { file: [path, index, `${path}.html`].find(isFile) };
}

function answer(folder, headers, request, response) {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    return;
  }
  let pathname, search;
  try {
    ({ pathname, search } = new URL(request.url, 'http://localhost'));
    pathname = decodeURIComponent(pathname);
    if (pathname.includes('\0')) throw new URIError('null character');
  } catch {
    response.writeHead(400).end();
    return;
  }
  const { file, redirect } = find(folder, pathname);
  if (redirect !== undefined) {
    response.writeHead(302, { Location: encodeURI(redirect) + search }).end();
    return;
  }
  const path = file ?? join(folder, '404.html');
  if (!isFile(path)) {
    response.writeHead(404, { 'Content-Type': 'text/plain' }).end('not found\n');
    return;
  }
  response.writeHead(file === undefined ? 404 : 200, {
    'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream',
    'Content-Length': statSync(path).size,
    'Cache-Control': 'no-cache',
    ...headers,
  });
  if (request.method === 'HEAD') response.end();
  else
    createReadStream(path)
      .on('error', () => response.destroy())
      .pipe(response);
}

/** Listens on a port; resolves to false if it is taken. */
function listen(server, port, host) {
  return new Promise((resolve, reject) => {
    const onError = (error) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error));
    server.once('error', onError);
    server.listen(port, host, () => {
      server.off('error', onError);
      resolve(true);
    });
  });
}

/**
 * Serves a folder.
 * @param {string} folder
 * @param {{ port?: number, host?: string, headers?: Record<string, string> }} [options] the first
 *   free port from `port` on is taken (0: any); `headers` go with every answer
 * @returns {Promise<{ address: string, close: () => Promise<void> }>}
 */
export async function serve(folder, { port = 0, host = '127.0.0.1', headers = {} } = {}) {
  const root = normalize(folder).replace(/[\\/]+$/, '');
  const server = createServer((request, response) => answer(root, headers, request, response));
  const last = port === 0 ? 0 : port + 99;
  let chosen = port;
  while (!(await listen(server, chosen, host))) {
    chosen += 1;
    if (chosen > last) throw new Error(`no free port between ${port} and ${last}`);
  }
  return {
    address: `http://${host}:${server.address().port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
