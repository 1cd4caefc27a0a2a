/** The driver for RocksDB, whose source comes with Assay. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileFailure } from '../../io/file-failure.ts';
import type { DriverKit } from './kit.ts';

/** Two folders above this file, built or not. */
const DRIVERS = fileURLToPath(new URL('../../../drivers', import.meta.url));
const FOLDER = 'rocksdb';

/**
 * What it takes to compile the driver against a RocksDB from 7.8 on.
 * @throws AssayError `file` where its source is missing
 */
export async function rocksdbKit(): Promise<DriverKit> {
  const names = await readdir(join(DRIVERS, FOLDER)).catch((error: unknown) => {
    throw fileFailure(
      error,
      join(DRIVERS, FOLDER),
      'read',
      'Install Assay again: the sources of its drivers are missing.',
    );
  });
  return {
    name: 'rocksdb',
    directory: DRIVERS,
    sources: names
      .filter((name) => name.endsWith('.cc'))
      .sort()
      .map((name) => join(FOLDER, name)),
    probe:
      '#include <rocksdb/db.h>\n#include <rocksdb/utilities/backup_engine.h>\n#include <rocksdb/utilities/transaction_db.h>\n',
    warnings: ['-Wall', '-Wextra', '-Werror'],
    libraryName: 'rocksdb',
    headerFolder: 'rocksdb',
    rttiClass: 'rocksdb::EventListener',
    mark: 'rocksdb_build_git_sha:',
    version: { header: 'version.h', macros: ['ROCKSDB_MAJOR', 'ROCKSDB_MINOR', 'ROCKSDB_PATCH'] },
  };
}
