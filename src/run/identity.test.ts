import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Identity, redactor } from './identity.ts';

const identity: Identity = {
  user: 'alice',
  host: 'db-lab-7',
  home: '/home/alice',
  experiment_dir: '/home/alice/bench',
  env: { API_TOKEN: 's3cret+token' },
};

test('paths, user, host and passed values become placeholders', () => {
  const redact = redactor(identity);
  expect(
    redact({ path: '/home/alice/bench/run.sh', other: ['/home/alice/x', 'alice@db-lab-7', 'T=s3cret+token'] }),
  ).toEqual({
    path: '{experiment.dir}/run.sh',
    other: ['<home>/x', '<user>@<host>', 'T=<env API_TOKEN>'],
  });
});

test('a longer name that begins alike is another name', () => {
  const redact = redactor(identity);
  expect(redact('/home/alice2/malice/alices')).toBe('/home/alice2/malice/alices');
});

test('names that the experiment gave stay, so that records still fit together', () => {
  const redact = redactor({ ...identity, user: 'before' });
  expect(redact({ arm: 'before', text: 'by before' })).toEqual({ arm: 'before', text: 'by <user>' });
});

test('common user names and very short ones are no identity', () => {
  const redact = redactor({ ...identity, user: 'root', host: 'x', home: '/root' });
  expect(redact('root of /root/a on x')).toBe('root of <home>/a on x');
});

test('nothing of the identity is left in any string', () => {
  const parts = fc.constantFrom(
    '/home/alice',
    '/home/alice/bench',
    'db-lab-7',
    's3cret+token',
    '/',
    ' ',
    'x',
    '.',
    'alice',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (words) => {
      const text = redactor(identity)(words.join(' '));
      for (const secret of ['db-lab-7', 's3cret', '/home/alice ', 'alice ']) expect(text).not.toContain(secret);
    }),
  );
});
