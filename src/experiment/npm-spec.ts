/** `name@version` of a package in the npm registry. */

export interface NpmSpec {
  readonly name: string;
  readonly version: string;
}

const PART = '[A-Za-z0-9_~-][A-Za-z0-9._~-]*';
const NAME = `(?:@${PART}/)?${PART}`;
const NUMBER = '(?:0|[1-9][0-9]{0,14})';
const PRERELEASE = '(?:-[0-9A-Za-z-]+(?:[.][0-9A-Za-z-]+)*)?';

export const NPM_SPEC_PATTERN = new RegExp(`^(${NAME})@(${NUMBER}[.]${NUMBER}[.]${NUMBER}${PRERELEASE})$`);
const NAME_PATTERN = new RegExp(`^${NAME}$`);
const LONGEST_SPEC = 300;

/** Reads exactly `name@x.y.z`, with a scope and a pre-release where there are. Anything else says what is wrong. */
export function parseNpmSpec(
  text: string,
): { readonly ok: true; readonly spec: NpmSpec } | { readonly ok: false; readonly message: string } {
  if (text.length > LONGEST_SPEC) return refuse(`an npm package is at most ${LONGEST_SPEC} characters long`);
  const match = NPM_SPEC_PATTERN.exec(text);
  if (match?.[1] !== undefined && match[2] !== undefined) {
    return { ok: true, spec: { name: match[1], version: match[2] } };
  }
  const at = text.lastIndexOf('@');
  const name = at > 0 ? text.slice(0, at) : text;
  if (!NAME_PATTERN.test(name)) {
    return refuse('expected a package of the npm registry as `name@version`, such as `rocksdb@5.2.1`');
  }
  const version = at > 0 ? text.slice(at + 1) : '';
  if (version === '') return refuse(`which version of ${name}? Write it as \`${name}@1.2.3\``);
  if (NPM_SPEC_PATTERN.test(`${name}@${version.replace(/^v/, '')}`)) {
    return refuse(`a version is written without \`v\`: \`${name}@${version.slice(1)}\``);
  }
  return refuse(
    `\`${version}\` is not one exact version (\`1.2.3\`): a range or a tag can mean another program tomorrow, and then the experiment could not be repeated`,
  );
}

function refuse(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
