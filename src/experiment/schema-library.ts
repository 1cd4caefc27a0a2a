/** Where the library of an arm is, which a driver is compiled against. */
import { z } from 'zod';
import { text } from './schema-leaves.ts';

const path = text('a path of a file').min(1, { error: 'a path of a file' });

export const artifacts = z
  .strictObject(
    {
      include: z.array(text('a directory').min(1)).min(1).describe('Directories of headers.'),
      library: text('a path of a library').min(1).describe('The library, static or shared.'),
      link: z.array(text('an option of the linker')).optional().describe('Options of the linker, as they stand.'),
      metadata: z
        .array(path, { error: 'a list of paths' })
        .max(20, { error: 'at most 20 files' })
        .optional()
        .describe('Files that say how the library was built, such as make_config.mk: the run keeps copies of them.'),
    },
    { error: 'a map, `{include: [DIRECTORY], library: PATH, link: [OPTION], metadata: [FILE]}`' },
  )
  .optional()
  .describe(
    'What {arm.driver} is compiled against; paths count from the directory of a git arm, else from the experiment.',
  );

export const prefix = text('a directory')
  .min(1)
  .optional()
  .describe('An installation that {arm.driver} is compiled against: its include and lib (or lib64).');

export const pkgConfig = text('a name that pkg-config knows')
  .min(1)
  .optional()
  .describe('What {arm.driver} is compiled against, as pkg-config knows it.');
