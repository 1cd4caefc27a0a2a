import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  cpuFlags,
  cpuinfoHz,
  cpuModel,
  cpuTopology,
  distributionOf,
  isVirtual,
  mountOf,
  printable,
  turboAllowed,
} from './linux-facts.ts';

const XEON_GUEST = `processor	: 0
vendor_id	: GenuineIntel
model name	: Intel(R) Xeon(R)   Processor
cpu MHz		: 2300.000
flags		: fpu vme de pse tsc msr hypervisor lahf_lm

processor	: 1
vendor_id	: GenuineIntel
model name	: Intel(R) Xeon(R)   Processor
cpu MHz		: 2500.000
flags		: fpu vme de pse tsc msr hypervisor lahf_lm
`;
const RYZEN = `processor	: 0
vendor_id	: AuthenticAMD
model name	: AMD Ryzen 9 7950X 16-Core Processor
cpu MHz		: 4491.123
flags		: fpu vme de aperfmperf cpb
bugs		: sysret_ss_attrs
`;
const GRAVITON = `processor	: 0
BogoMIPS	: 243.75
Features	: fp asimd evtstrm aes
CPU implementer	: 0x41
CPU architecture: 8
CPU variant	: 0x3
CPU part	: 0xd0c
CPU revision	: 1

processor	: 1
BogoMIPS	: 243.75
`;
const RASPBERRY = `processor	: 0
model name	: ARMv7 Processor rev 3 (v7l)
Features	: half thumb

Hardware	: BCM2711
Model		: Raspberry Pi 4 Model B Rev 1.1
`;

describe('cpuModel', () => {
  it.each([
    [XEON_GUEST, 'Intel(R) Xeon(R) Processor'],
    [RYZEN, 'AMD Ryzen 9 7950X 16-Core Processor'],
    [GRAVITON, 'CPU implementer 0x41, part 0xd0c'],
    [RASPBERRY, 'ARMv7 Processor rev 3 (v7l)'],
    ['', null],
    ['model name\t: \u001b[31mfast\n', '?[31mfast'],
  ])('%#', (text, model) => expect(cpuModel(text)).toBe(model));
});

test('sockets and cores, of which CPUs may share one', () => {
  const cpu = (socket: number, core: number) => `physical id\t: ${socket}\nsiblings\t: 4\ncore id\t\t: ${core}\n`;
  const two = [cpu(0, 0), cpu(0, 1), cpu(1, 0), cpu(1, 1), cpu(0, 0), cpu(0, 1), cpu(1, 0), cpu(1, 1)].join('\n');
  expect(cpuTopology(two)).toEqual({ sockets: 2, cores: 4 });
  expect(cpuTopology(GRAVITON)).toEqual({ sockets: null, cores: null });
});

test.each([
  ['NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n', 'Debian GNU/Linux 12 (bookworm)'],
  ["PRETTY_NAME='A \\$ B'\n", 'A $ B'],
  ['PRETTY_NAME=Void\n', 'Void'],
  ['PRETTY_NAME=""\n', null],
  ['NAME=x\n', null],
  ['PRETTY_NAME="\u001b[2J"\n', '?[2J'],
])('the name of the system: %j', (text, name) => expect(distributionOf(text)).toBe(name));

describe('cpuinfoHz', () => {
  it('is that of one CPU, or the mean of all', () => {
    expect(cpuinfoHz(XEON_GUEST, 1)).toBe(2_500_000_000);
    expect(cpuinfoHz(XEON_GUEST, null)).toBe(2_400_000_000);
  });

  it('is null where it is not said', () => {
    expect(cpuinfoHz(XEON_GUEST, 7)).toBeNull();
    expect(cpuinfoHz(GRAVITON, null)).toBeNull();
    expect(cpuinfoHz('', null)).toBeNull();
  });
});

describe('isVirtual', () => {
  const signs = { cpuinfo: null, hypervisor: null, vendor: null, product: null, device_tree: false };
  it.each([
    ['a flag that only hypervisors set', { cpuinfo: XEON_GUEST }, true],
    ['x86 without the flag', { cpuinfo: RYZEN }, false],
    ['x86 without the flag, with firmware', { cpuinfo: RYZEN, vendor: 'ASUS', product: 'System Product Name' }, false],
    ['the type of a hypervisor', { cpuinfo: RYZEN, hypervisor: 'xen' }, true],
    ['arm64 that says nothing', { cpuinfo: GRAVITON }, null],
    ['an arm64 guest of a cloud', { cpuinfo: GRAVITON, vendor: 'Amazon EC2', product: 'c7g.large' }, true],
    ['a whole arm64 machine of a cloud', { cpuinfo: GRAVITON, vendor: 'Amazon EC2', product: 'c7g.metal' }, false],
    ['an arm64 guest of QEMU', { cpuinfo: GRAVITON, vendor: 'QEMU', product: 'QEMU Virtual Machine' }, true],
    [
      'an arm64 guest of Hyper-V',
      { cpuinfo: GRAVITON, vendor: 'Microsoft Corporation', product: 'Virtual Machine' },
      true,
    ],
    ['an arm64 server', { cpuinfo: GRAVITON, vendor: 'GIGABYTE', product: 'R272-P30-JG' }, false],
    ['a node in the device tree', { cpuinfo: GRAVITON, device_tree: true }, true],
    ['nothing at all', {}, null],
  ])('%s', (_, given, virtual) => expect(isVirtual({ ...signs, ...given })).toBe(virtual));

  it('takes flags as words', () => {
    expect(cpuFlags('flags : fpu nohypervisor\n')).toEqual(new Set(['fpu', 'nohypervisor']));
    expect(isVirtual({ ...signs, cpuinfo: 'flags : fpu nohypervisor\n' })).toBe(false);
  });
});

it.each([
  ['0\n', null, true],
  ['1\n', null, false],
  [null, '1\n', true],
  [null, '0\n', false],
  ['0\n', '0\n', true],
  [null, null, null],
  ['', 'x', null],
])('turbo: no_turbo %j, boost %j', (noTurbo, boost, allowed) => {
  expect(turboAllowed(noTurbo, boost)).toBe(allowed);
});

describe('mountOf', () => {
  const MOUNTS = `22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
41 27 0:38 / /mnt rw - xfs /dev/sdb rw
42 41 0:39 / /mnt/with\\040blank rw,relatime shared:5 master:2 - btrfs /dev/sdc rw
43 27 0:40 / /tmp rw shared:7 - ext4 /dev/sdd rw
44 27 0:41 / /tmp rw - tmpfs tmpfs rw
45 27 0:42 / /back\\134slash rw - fuse.sshfs host:/ rw
46 27 0:43 / /var/lib/docker/overlay2/x/merged rw,relatime - overlay overlay rw,lowerdir=/a - b
torn line
47 27 0:44 / /sep rw
`;
  it.each([
    ['/', 'ext4'],
    ['/home/x', 'ext4'],
    ['/mnt', 'xfs'],
    ['/mnt/x', 'xfs'],
    ['/mntx', 'ext4'],
    ['/mnt/with blank/x', 'btrfs'],
    ['/mnt/with', 'xfs'],
    ['/tmp/x', 'tmpfs'],
    ['/back\\slash', 'fuse.sshfs'],
    ['/var/lib/docker/overlay2/x/merged/t', 'overlay'],
    ['/sep/x', 'ext4'],
  ])('%s', (path, type) => expect(mountOf(MOUNTS, path)?.type).toBe(type));

  it('has the number and the name of the device', () => {
    expect(mountOf(MOUNTS, '/mnt/with blank')).toEqual({ type: 'btrfs', device: '0:39', source: '/dev/sdc' });
  });

  it('is null where nothing is mounted', () => expect(mountOf('', '/')).toBeNull());
});

it('leaves nothing that a terminal obeys', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(printable(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }),
  );
});

it('never throws on any text', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom(' ', '-', '/', '\\', '0', '4', ':', '\n', '\t', 'flags', 'processor', 'cpu MHz', 'a'),
      }),
      (text) => {
        cpuModel(text);
        cpuinfoHz(text, 0);
        mountOf(text, '/a');
        cpuTopology(text);
        distributionOf(text);
      },
    ),
  );
});
