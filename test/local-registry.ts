/** A registry of npm packages on this machine, for tests that must not need a network. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

interface LocalPackage {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly bin?: string;
  readonly files: Readonly<Record<string, string>>;
}

export interface LocalRegistry {
  /** Assay's own environment with this registry, and a cache of npm's own below `directory`. */
  readonly env: NodeJS.ProcessEnv;
  /** Paths that were asked for. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** Serves the packages at 127.0.0.1; everything is kept below `directory`. */
export async function serveRegistry(directory: string, packages: readonly LocalPackage[]): Promise<LocalRegistry> {
  const answers = new Map<string, Buffer>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push(path);
    const answer = answers.get(path);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/octet-stream' });
    response.end(answer ?? '{"error":"not found"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const documents = new Map<
    string,
    { name: string; versions: Record<string, unknown>; 'dist-tags': { latest: string } }
  >();
  for (const one of packages) {
    const { files, ...manifest } = one;
    const archive = pack(join(directory, `${one.name.replace('/', '+')}-${one.version}`), manifest, files);
    const path = `/${one.name}/-/${one.version}.tgz`;
    answers.set(path, archive);
    const document = documents.get(one.name) ?? { name: one.name, versions: {}, 'dist-tags': { latest: one.version } };
    document.versions[one.version] = {
      ...manifest,
      hasInstallScript: manifest.scripts !== undefined,
      dist: {
        tarball: `http://127.0.0.1:${port}${path}`,
        integrity: `sha512-${createHash('sha512').update(archive).digest('base64')}`,
      },
    };
    document['dist-tags'].latest = one.version;
    documents.set(one.name, document);
    answers.set(`/${one.name}`, Buffer.from(JSON.stringify(document)));
  }
  return {
    env: {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: join(directory, 'npm-cache'),
      npm_config_fetch_retries: '0',
    },
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pack(directory: string, manifest: object, files: Readonly<Record<string, string>>): Buffer {
  mkdirSync(join(directory, 'package'), { recursive: true });
  writeFileSync(join(directory, 'package', 'package.json'), JSON.stringify(manifest));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, 'package', name), text);
  execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: directory });
  return readFileSync(join(directory, 'package.tgz'));
}
