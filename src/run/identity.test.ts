import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Identity, identityFinder, textRedactor } from './identity.ts';

const identity: Identity = {
  user: 'alice',
  host: 'db-lab-7',
  home: '/home/alice',
  experiment_dir: '/home/alice/bench',
  env: { API_TOKEN: 's3cret+token', WHICH: 'new' },
};
const redact = textRedactor(identity);

test.each([
  ['/home/alice/bench/run.sh', '{experiment.dir}/run.sh'],
  ['/home/alice/x', '<home>/x'],
  ['In /home/alice/bench. Then in /home/alice.', 'In {experiment.dir}. Then in <home>.'],
  ['alice@db-lab-7', '<user>@<host>'],
  ['T=s3cret+token', 'T=<env API_TOKEN>'],
  ['xs3cret+tokenx', 'x<env API_TOKEN>x'],
  ['--which=new,newest,renew', '--which=<env WHICH>,newest,renew'],
])('%j: %j', (text, expected) => {
  expect(redact(text)).toBe(expected);
});

test('a longer name that begins alike is another name', () => {
  const same = '/home/alice2/malice/alices/home/alice.old-éalice';
  expect(redact(same)).toBe('/home/alice2/malice/alices<home>.old-éalice'.replace('<home>.old', '/home/<user>.old'));
});

test('what was put in, and the placeholders of commands, are not searched', () => {
  const names = { ...identity, user: 'experiment', host: 'home', env: { A: 'user', B: 'params', C: 'env' } };
  expect(textRedactor(names)('/home/alice/x {params.home} {experiment.dir}/y user home {x.home}')).toBe(
    '<home>/x {params.home} {experiment.dir}/y <env A> <host> {x.<host>}',
  );
});

test('common user names and very short ones are no identity', () => {
  const text = textRedactor({ ...identity, user: 'root', host: 'x', home: '/root', env: { N: '16' } });
  expect(text('root of /root/a on x, 16')).toBe('root of <home>/a on x, 16');
});

test('nothing of the identity is left in any text', () => {
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
      const text = redact(words.join(' '));
      for (const secret of ['db-lab-7', 's3cret', '/home/alice ', 'alice ']) expect(text).not.toContain(secret);
    }),
  );
});

test('the finder names what is there, in JSON and HTML, too', () => {
  const find = identityFinder({ ...identity, env: { TOKEN: 'a<"b">&c', WHICH: 'new' } });
  expect(find('renewed, news')).toEqual([]);
  expect(find('a new one of alice')).toEqual(['the value of WHICH', "the user's name"]);
  expect(find(JSON.stringify('a<"b">&c'))).toEqual(['the value of TOKEN']);
  expect(find('<p>a&lt;"b"&gt;&amp;c</p>')).toEqual(['the value of TOKEN']);
});
