/** How an experiment file says what is compared: where an arm comes from, how it is built, what its driver is compiled against. */
import { z } from 'zod';
import {
  build,
  command,
  duration,
  env,
  flag,
  mergeBase,
  npm,
  oneOf,
  params,
  repository,
  revision,
  text,
} from './schema-leaves.ts';
import { artifacts, pkgConfig, prefix } from './schema-library.ts';

export const arm = z
  .strictObject(
    {
      command: command
        .optional()
        .describe(
          'What a trial of this arm runs, as a list of words: [program, argument, …]. Leave it out where the workload has a command. Placeholders as in workload.command.',
        ),
      npm: npm
        .optional()
        .describe(
          'A package of the npm registry, exactly name@version. It is installed into the cache; {arm.dir} is where it lies.',
        ),
      scripts: flag()
        .optional()
        .describe('Whether the package and its dependencies may run install scripts.')
        .meta({ default: false }),
      git: z
        .strictObject(
          {
            repo: repository.describe(
              'The repository: a path, relative to the experiment, or an address. It is cloned into the cache and never changed.',
            ),
            rev: revision
              .optional()
              .describe('Any revision that git understands: a tag, a branch, a hash, HEAD~1, origin/main.'),
            'merge-base': mergeBase
              .optional()
              .describe('Instead of rev: the commit that two revisions have in common, as [main, my-branch].'),
            submodules: flag().optional().describe('Whether submodules are fetched.').meta({ default: false }),
          },
          { error: 'a map, `{repo: PATH, rev: REVISION}`' },
        )
        .meta(oneOf('rev', 'merge-base'))
        .optional()
        .describe('A revision of a git repository, built in the cache; {arm.dir} is where it lies.'),
      of: text('the name of an arm')
        .optional()
        .describe(
          'The git arm whose source is prepared again from nothing, in another directory: a control for what a build and its place do. With a `patch` on top: what that part does.',
        ),
      patch: text('a path of a file')
        .min(1, { error: 'a path of a file' })
        .optional()
        .describe(
          'A patch that is applied to the git revision (of `of`: to that of the other arm) before the build, relative to the experiment.',
        ),
      build: build
        .optional()
        .describe(
          'Commands that build the git revision, run in its directory: each one text for /bin/sh, or a list of words. They run the code of the repository.',
        ),
      build_env: env
        .optional()
        .describe(
          'Environment variables of the build, such as CC. It otherwise has PATH, HOME, USER, LOGNAME, TMPDIR, those of a proxy, and LC_ALL=C.',
        ),
      build_timeout: duration
        .optional()
        .describe('A build that takes longer fails: 2h, 30m, or a number of seconds.')
        .meta({ default: '1h' }),
      artifacts,
      prefix,
      'pkg-config': pkgConfig,
      env: env.optional().describe('Environment variables of this arm; they win over those of the workload.'),
      params: params.optional().describe('Values for {params.NAME} in this arm; they win over those of the workload.'),
    },
    { error: 'an arm: a map with `command`, `npm` or `git`' },
  )
  .describe('One of the things that are compared.');
