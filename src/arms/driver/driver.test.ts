import { execFileSync } from 'node:child_process';
import { appendFile, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildEngine, exampleKit } from '../../../test/example-engine.ts';
import type { LibrarySource } from '../../experiment/experiment.ts';
import { attribute } from '../attribution/attribution.ts';
import type { PreparedArm } from '../prepared-arm.ts';
import { parseDependencies } from './build.ts';
import { type CompiledDriver, checkDriver, compileDrivers } from './driver.ts';
import { compiledInputs } from './entry.ts';
import type { DriverKit, LinkOrder, ToolchainSettings } from './kit.ts';
import { headerVersion } from './provenance.ts';
import { rocksdbKit } from './rocksdb-kit.ts';

describe('parseDependencies', () => {
  it('reads what compilers write with -M', () => {
    const rules = 'a.o: /x/a.cc \\\n /x/with\\ space.h /x/$$b.h\n\nb.o: /x/b.cc /x/a.cc\n';
    expect(parseDependencies(rules)).toEqual(['/x/$b.h', '/x/a.cc', '/x/b.cc', '/x/with space.h']);
  });
});

describe('rocksdbKit', () => {
  it('has a source with a main function', async () => {
    expect((await rocksdbKit()).sources).toContain('rocksdb/main.cc');
  });
});

describe('headerVersion', () => {
  it('is null where the header or a macro is missing', async () => {
    expect(await headerVersion('/nowhere', { header: 'version.h', macros: ['A'] })).toBeNull();
  });
});

const full = process.env['ASSAY_TEST_FULL'] === '1';

describe.runIf(full)('compileDrivers', () => {
  let root: string;
  let cache: string;
  let kit: DriverKit;
  let progress: string[];
  const places: Record<string, string> = {};

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'assay-driver-'));
    const make = (name: string, build: Parameters<typeof buildEngine>[1]) => {
      places[name] = join(root, name);
      buildEngine(join(root, name), build);
    };
    make('static1', { kind: 'static' });
    make('static2', { kind: 'static', answer: 2 });
    make('again', { kind: 'static', flags: ['-DNDEBUG', '-DUNUSED', '-g'] });
    make('shared1', { kind: 'shared' });
    make('shared2', { kind: 'shared', answer: 2 });
    make('asserting', { kind: 'static', flags: [] });
    make('bare', { kind: 'static', flags: ['-DNDEBUG', '-fno-rtti'] });
    make('modern', {
      kind: 'static',
      flags: ['-DNDEBUG', '-std=c++20'],
      header: '#include <compare>\ninline auto kOrder = 1 <=> 2;',
    });
  }, 120_000);
  afterAll(() => rm(root, { recursive: true, force: true }));
  beforeEach(async () => {
    cache = await mkdtemp(join(root, 'cache-'));
    kit = exampleKit(join(root, 'driver'));
    progress = [];
  });

  const prefix = (name: string): LibrarySource => ({ kind: 'prefix', prefix: places[name] ?? name });
  const none: ToolchainSettings = { compiler: null, standard: null, flags: null };
  const compile = (
    sources: readonly LibrarySource[],
    settings: Partial<ToolchainSettings> = {},
    env: NodeJS.ProcessEnv = {},
    orders: readonly (LinkOrder | null)[] = [],
  ) =>
    compileDrivers(
      sources.map((source, at) => {
        return { arm: ['a', 'b', 'c'][at] ?? '', source, directory: root, order: orders[at] ?? null };
      }),
      kit,
      { ...none, ...settings },
      root,
      { env: { ...process.env, ...env }, cache, onProgress: (message) => progress.push(message) },
    );
  const printed = (executable = '', env: NodeJS.ProcessEnv = {}) => execFileSync(executable, { encoding: 'utf8', env });
  const codes = (driver: { warnings: readonly { code: string }[] } | undefined) =>
    driver?.warnings.map(({ code }) => code);
  const rejected = (expected: object) => ({ failure: { kind: 'arm', ...expected } });

  const tool = (name: string, ...args: string[]) => execFileSync(name, args, { encoding: 'utf8' });

  /** A static library of the engine and of forty more objects, all of them used, two of each name. */
  async function severalMembers(name: string): Promise<LibrarySource> {
    await cp(places['static1'] ?? '', join(root, name), { recursive: true });
    const archive = join(root, name, 'lib/libengine.a');
    const parts = Array.from({ length: 40 }, (_, at) => at);
    const objects: string[] = [];
    for (const at of parts) {
      const stem = join(root, name, String(at % 2), `part${Math.floor(at / 2)}`);
      await mkdir(dirname(stem), { recursive: true });
      await writeFile(`${stem}.c`, `int part${at}(int x) { return x * ${at + 3} + ${at * at}; }\n`);
      tool('cc', '-O2', '-c', `${stem}.c`, '-o', `${stem}.o`);
      objects.push(`${stem}.o`);
    }
    tool('ar', 'qcs', archive, ...objects);
    const calls = parts.map((at) => `extern "C" int part${at}(int);`).join('\n');
    const sum = parts.map((at) => `part${at}(c)`).join(' + ');
    const main = await readFile(join(kit.directory, 'main.cc'), 'utf8');
    const changed = main.replace('int main() {', `${calls}\nint main(int c, char**) {\n  if (c > 99) return ${sum};`);
    await writeFile(join(kit.directory, 'main.cc'), changed);
    places[name] = join(root, name);
    return prefix(name);
  }

  /** A PATH with the compiler and what it needs, and no `ar`. */
  async function onlyCompiler(): Promise<string> {
    const bin = await mkdtemp(join(root, 'bin-'));
    for (const tool of ['c++', 'as', 'ld']) {
      const path = execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
      await symlink(path, join(bin, tool));
    }
    return bin;
  }

  const preparedOf = (arm: string, { executable, files }: CompiledDriver): PreparedArm => ({
    ...{ arm, build: 0, dir: null, command: [executable], shown: [], commands: {}, provenance: {}, warnings: [] },
    ...{ files: [{ ...files[0], path: '{arm.driver}', sha256: files[0]?.sha256 ?? '', bytes: 0 }] },
    ...{ paths: [executable], trees: [], driver: executable, keep: [], revision: null, library: null },
  });

  it('compiles one driver for each static library, and says of what', async () => {
    const [a, b] = await compile([prefix('static1'), prefix('static2')]);
    expect(printed(a?.executable)).toBe('answer 20\n');
    expect(printed(b?.executable)).toBe('answer 30\n');
    expect(a?.provenance).toMatchObject({
      source: `prefix: ${places['static1']}`,
      library: join(root, 'static1/lib/libengine.a'),
      linkage: 'static, 1 objects',
      library_version: '1.2.3',
      assertions: 'off',
      rtti: 'yes',
      compression: 'none',
      library_build: '1',
      standard: 'c++17',
      flags: '-O3 -DNDEBUG',
      compiler_version: expect.stringMatching(/\d+\.\d+/),
      linker_version: expect.stringMatching(/\d+\.\d+/),
      executable_text_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      executable_loads: expect.stringContaining('libc.so'),
    });
    expect(a?.provenance['executable_text_sha256']).not.toBe(b?.provenance['executable_text_sha256']);
    const parts = ['flags', 'standard', 'compiler_version', 'linker_version'] as const;
    for (const name of parts) expect(a?.provenance[name]).toBe(b?.provenance[name]);
    expect(a?.files.map(({ path, kind }) => [path, kind])).toEqual([
      [a?.executable, 'file'],
      [join(root, 'static1/lib/libengine.a'), 'file'],
      [join(root, 'static1/include/engine'), 'tree'],
    ]);
    expect(codes(a)).toEqual([]);
    expect(codes(b)).toEqual([]);
  });

  it('knows all that was compiled as long as nothing of it changes', async () => {
    const [driver] = await compile([prefix('static1'), prefix('static2')]);
    const digest = driver?.provenance['driver_inputs_sha256'] ?? '';
    const inputs = await compiledInputs(cache, digest);
    expect(inputs).toContain(join(kit.directory, 'main.cc'));
    expect(inputs?.some((path) => path.startsWith(`${places['static1']}/include/`))).toBe(true);
    expect(await compiledInputs(cache, 'ab'.repeat(32))).toBeNull();
    expect(await compiledInputs(join(cache, 'none'), digest)).toBeNull();
    await appendFile(join(kit.directory, 'main.cc'), '// changed\n');
    expect(await compiledInputs(cache, digest)).toBeNull();
  });

  it('loads each arm’s own shared library, whatever LD_LIBRARY_PATH says', async () => {
    const [a, b] = await compile([prefix('shared1'), prefix('shared2')]);
    expect(printed(a?.executable, { LD_LIBRARY_PATH: join(root, 'shared2/lib') })).toBe('answer 20\n');
    expect(printed(b?.executable)).toBe('answer 30\n');
    if (a === undefined) throw new Error('no driver');
    await checkDriver(a, join(root, 'shared2/lib'));
    expect(a.provenance).toMatchObject({
      linkage: 'shared',
      soname: 'libengine.so.1.2',
      library_text_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      executable_loads: expect.stringContaining('libengine.so.1.2'),
    });
  });

  it('uses the cache until the driver, a header, the library or the executable changes', async () => {
    places['moving'] = join(root, 'moving');
    await cp(places['static1'] ?? '', join(root, 'moving'), { recursive: true });
    const [first] = await compile([prefix('moving')]);
    const compiling = `compiling the ${kit.name} driver of a against ${join(root, 'moving/lib/libengine.a')}`;
    expect(progress).toEqual([compiling]);
    expect(await compile([prefix('moving')])).toEqual([first]);
    expect(progress).toHaveLength(1);
    await appendFile(join(root, 'moving/include/engine/engine.h'), '// changed\n');
    const [header] = await compile([prefix('moving')]);
    expect(progress).toHaveLength(2);
    expect(header?.provenance['headers_sha256']).not.toBe(first?.provenance['headers_sha256']);
    await appendFile(join(root, 'driver/text.h'), '// changed\n');
    await compile([prefix('moving')]);
    expect(progress).toHaveLength(3);
    await appendFile(header?.executable ?? '', 'changed');
    const [executable] = await compile([prefix('moving')]);
    expect(progress).toHaveLength(4);
    expect(executable?.provenance['executable_sha256']).toBe(header?.provenance['executable_sha256']);
    await copyFile(join(root, 'static2/lib/libengine.a'), join(root, 'moving/lib/libengine.a'));
    const [library] = await compile([prefix('moving')]);
    expect(progress).toHaveLength(5);
    expect(printed(library?.executable)).toBe('answer 30\n');
  });

  it('finds a shared library that was swapped under the driver', async () => {
    await cp(places['shared1'] ?? '', join(root, 'swapped'), { recursive: true, verbatimSymlinks: true });
    places['swapped'] = join(root, 'swapped');
    const [driver] = await compile([prefix('swapped')]);
    if (driver === undefined) throw new Error('no driver');
    await copyFile(join(root, 'shared2/lib/libengine.so.1.2'), join(root, 'swapped/lib/libengine.so.1.2'));
    await expect(checkDriver(driver, undefined)).rejects.toMatchObject(
      rejected({ arm: 'a', message: expect.stringContaining('libengine.so.1.2') }),
    );
  });

  it('refuses a driver that would load a library of another side', async () => {
    // The path to load from holds another build under the name that the loader looks for.
    const lib = join(root, 'mixed');
    await cp(join(root, 'shared2/lib'), lib, { recursive: true, verbatimSymlinks: true });
    await copyFile(join(root, 'shared1/lib/libengine.so.1.2'), join(lib, 'libengine-mine.so'));
    const include = [join(root, 'shared1/include')];
    const mixed: LibrarySource = {
      kind: 'artifacts',
      include,
      library: join(lib, 'libengine-mine.so'),
      link: [],
      metadata: [],
    };
    await expect(compile([mixed])).rejects.toMatchObject(
      rejected({ message: expect.stringMatching(/loads .*libengine\.so\.1\.2, which is not .*libengine-mine\.so/) }),
    );
    // A static library whose options bring in a shared one of the same name.
    const both: LibrarySource = {
      kind: 'artifacts',
      include,
      library: join(root, 'static1/lib/libengine.a'),
      metadata: [],
      link: ['-Wl,--no-as-needed', join(root, 'shared2/lib/libengine.so'), `-Wl,-rpath,${root}/shared2/lib`],
    };
    await expect(compile([both])).rejects.toMatchObject(
      rejected({ message: expect.stringContaining('it loads libengine.so.1.2 when it starts') }),
    );
  });

  it('refuses headers of another installation', async () => {
    const incomplete = join(root, 'incomplete/engine');
    await cp(join(root, 'static1/include/engine'), incomplete, { recursive: true });
    await rm(join(incomplete, 'version.h'));
    const source: LibrarySource = {
      kind: 'artifacts',
      include: [join(root, 'incomplete')],
      library: join(root, 'static1/lib/libengine.a'),
      ...{ link: null, metadata: [] },
    };
    await expect(compile([source])).rejects.toMatchObject(
      rejected({ remedy: expect.stringContaining('engine/version.h is not in the directories of `include`') }),
    );
    // Now the compiler finds one elsewhere.
    const elsewhere = ['-idirafter', join(root, 'static2/include'), '-O2'];
    await expect(compile([source], { flags: elsewhere })).rejects.toMatchObject(
      rejected({ message: expect.stringContaining('static2/include/engine/version.h was included') }),
    );
  });

  it('warns of assertions on the side that has them, and of nothing on the other', async () => {
    const [a, b] = await compile([prefix('static1'), prefix('asserting')]);
    expect(codes(a)).toEqual([]);
    expect(b?.warnings).toEqual([
      {
        code: 'built-with-assertions',
        message: expect.stringContaining('b: BUILT WITH ASSERTIONS'),
        remedy: expect.any(String),
      },
    ]);
    expect(b?.provenance['assertions']).toBe('ON (1 of 1 objects)');
  });

  it('takes the lowest standard that all headers compile with', async () => {
    const drivers = await compile([prefix('static1'), prefix('modern')]);
    expect(drivers.map(({ provenance }) => provenance['standard'])).toEqual(['c++20', 'c++20']);
    const standards = async () => (await readdir(join(cache, 'driver'))).filter((name) => name.startsWith('standard-'));
    expect(await standards()).toHaveLength(1);
    await compile([prefix('static1'), prefix('modern')]);
    expect(await standards()).toHaveLength(1);
    await expect(compile([prefix('modern')], { standard: 'c++17' })).rejects.toMatchObject(
      rejected({ detail: expect.stringContaining('error') }),
    );
  });

  it('compiles all sides without run-time type information where one library has none', async () => {
    const drivers = await compile([prefix('static1'), prefix('bare')]);
    expect(drivers.map(({ provenance }) => [provenance['rtti'], provenance['flags']])).toEqual([
      ['yes', '-O3 -DNDEBUG -fno-rtti'],
      ['no', '-O3 -DNDEBUG -fno-rtti'],
    ]);
    const reason = '-fno-rtti on every side, because the library of b has no run-time type information';
    expect(drivers.map(({ provenance }) => provenance['rtti_option'])).toEqual([reason, reason]);
    expect(printed(drivers[1]?.executable)).toBe('answer 20\n');
  });

  it('tries without run-time type information where a library does not show it, once', async () => {
    buildEngine(join(root, 'hidden'), { kind: 'static', flags: ['-DNDEBUG', '-fno-rtti', '-flto'] });
    places['hidden'] = join(root, 'hidden');
    const [driver] = await compile([prefix('hidden'), prefix('hidden')]);
    expect(driver?.provenance).toMatchObject({
      rtti: 'unknown',
      flags: '-O3 -DNDEBUG -fno-rtti',
      rtti_option: expect.stringMatching(/^-fno-rtti on every side, because .* does not compile and link/),
    });
    const compiling = `compiling the ${kit.name} driver of a and b against ${join(root, 'hidden/lib/libengine.a')}`;
    expect(progress).toEqual([compiling]);
    expect((await compile([prefix('hidden'), prefix('hidden')]))[0]).toEqual(driver);
    expect(progress).toEqual([compiling]);
  });

  it('recognises the same machine code in different files', async () => {
    const [a, b] = await compile([prefix('static1'), prefix('again')]);
    expect(a?.provenance['library_sha256']).not.toBe(b?.provenance['library_sha256']);
    expect(a?.provenance['executable_text_sha256']).toBe(b?.provenance['executable_text_sha256']);
    expect(codes(a)).toEqual(['same-machine-code']);
    expect(codes(b)).toEqual(['same-machine-code']);
    const [c, d] = await compile([prefix('static1'), prefix('static1')]);
    expect([codes(c), codes(d)]).toEqual([[], []]);
  });

  it('links in another order, drawn from the seed: members that share a name all stay', async () => {
    const place = await severalMembers('members');
    const orders = [null, { seed: 7, build: 1 }, { seed: 7, build: 2 }, { seed: 7, build: 1 }];
    const drivers = await compile([place, place, place, place], {}, {}, orders);
    expect(drivers.map(({ executable }) => printed(executable))).toEqual(Array(4).fill('answer 20\n'));
    const [plain, first, second, again] = drivers;
    const texts = drivers.map(({ provenance }) => provenance['executable_text_sha256']);
    expect(new Set(texts).size).toBeGreaterThan(1);
    expect(again?.executable).toBe(first?.executable);
    expect(plain?.provenance['link_order']).toBeUndefined();
    expect(first?.provenance['link_order']).toBe(
      `the members of ${plain?.provenance['library']} (SHA-256 ${plain?.provenance['library_sha256']}) in an order drawn from seed 7`,
    );
    expect(second?.provenance['linkage']).toBe(plain?.provenance['linkage']);
    expect(plain?.provenance['linkage']).toBe('static, 41 objects');
    const members = (driver: typeof plain) =>
      tool('nm', '-A', '--defined-only', driver?.provenance['library'] ?? '')
        .split('\n')
        .flatMap((line) => / T (\S+)$/.exec(line)?.[1] ?? []);
    expect(members(first)).not.toEqual(members(second));
    expect(members(first).toSorted()).toEqual(members(plain).toSorted());
    // A copy that was damaged is made anew.
    await appendFile(first?.provenance['library'] ?? '', 'x');
    const [mended] = await compile([place], {}, {}, [{ seed: 7, build: 1 }]);
    expect(mended?.provenance['library_sha256']).toBe(first?.provenance['library_sha256']);

    const same = await attribute(
      { functions: [] },
      [plain, second].flatMap((driver, at) =>
        driver === undefined ? [] : [preparedOf(['plain', 'moved'][at] ?? '', driver)],
      ),
      [{ arm: 'moved', reference: 'plain' }],
      { env: process.env, cache, onProgress: () => undefined },
    );
    expect(same?.comparisons).toMatchObject([
      {
        same_file: false,
        same_text: false,
        functions: { differ: 0, only_in_arm: 0, only_in_reference: 0 },
        differing: [],
      },
    ]);
  });

  it('says what of a link cannot be put into another order', async () => {
    kit = { ...kit, sources: ['main.cc', 'other.cc'] };
    await writeFile(join(root, 'driver/other.cc'), 'int other() { return 3; }\n');
    const [shared, bare] = await compile([prefix('shared1'), prefix('shared1')], {}, {}, [{ seed: 1, build: 1 }]);
    expect(shared?.provenance['link_order']).toBe(
      'the 2 source files of the driver in an order drawn from seed 1, the shared library as it is',
    );
    expect(bare?.provenance['link_order']).toBeUndefined();
    await expect(
      compile([prefix('static1')], {}, { PATH: await onlyCompiler() }, [{ seed: 1, build: 1 }]),
    ).rejects.toMatchObject(rejected({ message: expect.stringContaining('there is none on PATH') }));
  });

  it('warns where one arm is static and another shared', async () => {
    const drivers = await compile([prefix('static1'), prefix('shared1')]);
    expect(drivers.map(codes)).toEqual([['different-linkage'], ['different-linkage']]);
  });

  it('finds a library by pkg-config, and warns of headers of another version', async () => {
    const lines = (
      version: string,
      more: string,
    ) => `prefix=${places['shared1']}\nName: engine\nDescription: x\nVersion: ${version}
Cflags: -I\${prefix}/include -DENGINE_FAST -std=c++98\nLibs: -L\${prefix}/lib -lengine ${more}\n`;
    await writeFile(join(root, 'right.pc'), lines('1.2.3', '-lz'));
    await writeFile(join(root, 'wrong.pc'), lines('1.3.0', ''));
    const env = { PKG_CONFIG_PATH: root };
    const named = (name: string): LibrarySource => ({ kind: 'pkg-config', name });
    const [a, b] = await compile([named('right'), named('wrong')], {}, env);
    expect(a?.provenance).toMatchObject({
      source: 'pkg-config: right',
      library: join(root, 'shared1/lib/libengine.so.1.2'),
      pkg_config_version: '1.2.3',
      link: `-L${root}/shared1/lib -lz`,
      compile_command: expect.stringContaining('-DENGINE_FAST'),
    });
    expect(a?.provenance['compile_command']).not.toContain('c++98');
    expect(codes(a)).toEqual([]);
    expect(b?.warnings).toMatchObject([{ code: 'versions-differ', message: expect.stringContaining('1.3.0') }]);
    await expect(compile([named('absent')], {}, env)).rejects.toMatchObject(
      rejected({ message: 'pkg-config does not know absent', detail: expect.stringContaining('absent') }),
    );
  });

  it('finds Debian’s RocksDB, with its version, its assertions and what it compresses with', async () => {
    const directory = join(root, 'rocks');
    kit = { ...(await rocksdbKit()), directory: exampleKit(directory).directory, sources: ['main.cc'] };
    await writeFile(
      join(directory, 'main.cc'),
      '#include <rocksdb/db.h>\n#include <rocksdb/version.h>\n#include <cstdio>\nint main() { std::puts(rocksdb::GetRocksVersionAsString().c_str()); }\n',
    );
    const [shared] = await compile([{ kind: 'pkg-config', name: 'rocksdb' }]);
    const provenance = shared?.provenance ?? {};
    const archive = `${provenance['library']?.replace(/\.so.*/, '')}.a`;
    const [prefixed, static_] = await compile([
      { kind: 'prefix', prefix: '/usr' },
      { kind: 'artifacts', include: ['/usr/include'], library: archive, link: null, metadata: [] },
    ]);
    expect(prefixed?.provenance['library']).toBe(provenance['library']);
    for (const [driver, linkage] of [
      [shared, /^shared$/],
      [static_, /^static, \d+ objects$/],
    ] as const) {
      expect(driver?.provenance).toMatchObject({
        linkage: expect.stringMatching(linkage),
        assertions: expect.stringMatching(/^ON/),
        compression: 'snappy, zlib, bz2, lz4, zstd',
        rtti: 'yes',
        library_version: printed(driver?.executable).trim(),
      });
      expect(codes(driver)).toContain('built-with-assertions');
    }
  });

  it('says what is wrong with sources that lead to no library', async () => {
    const artifacts = (library: string, include: string): LibrarySource => ({
      kind: 'artifacts',
      include: [include],
      library,
      ...{ link: null, metadata: [] },
    });
    const header = 'static1/include/engine/engine.h';
    await expect(compile([artifacts('absent.a', 'static1/include')])).rejects.toMatchObject(
      rejected({ message: expect.stringContaining('there is no library') }),
    );
    await expect(compile([artifacts(header, 'static1/include')])).rejects.toMatchObject(
      rejected({ message: expect.stringContaining('is neither a static nor a shared library') }),
    );
    await expect(compile([artifacts('static1/lib/libengine.a', 'static1/include/engine')])).rejects.toMatchObject(
      rejected({ message: expect.stringContaining('no include directory holds engine/') }),
    );
    await expect(compile([{ kind: 'prefix', prefix: 'driver' }])).rejects.toMatchObject(
      rejected({ message: expect.stringContaining('there is no libengine.so or .a') }),
    );
    await expect(compile([prefix('static1')], { compiler: 'no-such-compiler' })).rejects.toMatchObject(
      rejected({ remedy: expect.stringContaining('`compiler`') }),
    );
  });

  it('shows the compiler’s last lines and what they mostly mean', async () => {
    const artifacts = (link: string[]): LibrarySource => ({
      kind: 'artifacts',
      include: [join(root, 'static1/include')],
      library: join(root, 'static1/lib/libengine.a'),
      ...{ link, metadata: [] },
    });
    await expect(compile([artifacts(['-lno-such-library'])])).rejects.toMatchObject(
      rejected({
        message: expect.stringContaining('does not compile against'),
        detail: expect.stringContaining('cannot find -lno-such-library'),
        remedy: expect.stringContaining('Install the library no-such-library'),
      }),
    );
    await expect(compile([artifacts([])], { standard: 'c++99' })).rejects.toMatchObject(
      rejected({ remedy: expect.stringContaining('does not know -std=c++99') }),
    );
    expect(await readdir(join(cache, 'tmp'))).toEqual([]);
  });
});
