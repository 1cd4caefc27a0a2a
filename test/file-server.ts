/** Serves the files of a directory, as git reads a repository that `git update-server-info` was run in. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface FileServer {
  readonly address: string;
  /** Paths that were asked for. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** @param password whether each request is answered by asking for one */
export async function serveFiles(root: string, password = false): Promise<FileServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const path = join(root, decodeURIComponent((request.url ?? '').split('?')[0] ?? ''));
    if (password) response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
    else if (!existsSync(path) || statSync(path).isDirectory()) response.writeHead(404).end();
    else response.end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
