/** File systems on which trials measure something else than a device. */

const IN_MEMORY = 'lies in memory: nothing is written to a device';
const COPIES = 'copies files when they are first written: that is in the measurements';
const SERVED = 'is served by another process or machine: that is in the measurements';

const UNFIT: ReadonlyMap<string, string> = new Map([
  ...['tmpfs', 'ramfs'].map((name) => [name, IN_MEMORY] as const),
  ...['overlay', 'overlayfs'].map((name) => [name, COPIES] as const),
  ...['nfs', 'nfs4', 'cifs', 'smb3', 'ceph', '9p', 'virtiofs', 'fuse'].map((name) => [name, SERVED] as const),
]);

/** What is wrong with a file system, to follow its name and `, which`; null where nothing is. `fuse.x` is one of `fuse`. */
export function unfitFileSystem(name: string): string | null {
  return UNFIT.get(name) ?? UNFIT.get(name.split('.')[0] ?? name) ?? null;
}
