/** A made-up /proc and /sys in a temporary directory, for readers of what Linux says of a machine. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type MachineFiles, machineFiles } from '../src/host/machine-files.ts';

export interface MachineTree {
  readonly root: string;
  readonly files: MachineFiles;
  readonly write: (files: Readonly<Record<string, string>>) => void;
  readonly remove: () => void;
}

export function openMachineTree(): MachineTree {
  const root = `${mkdtempSync(join(tmpdir(), 'assay-machine-'))}/`;
  return {
    root,
    files: machineFiles(root),
    write(files) {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content);
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
