/** What Linux says of a machine in text, in /proc and /sys. Pure: text in, facts out; null where the text does not say. */

/**
 * The processor's name from /proc/cpuinfo. x86, s390 and POWER name a model; arm64 gives numbers only, which are kept as
 * they stand (`CPU implementer 0x41, part 0xd0c`).
 */
export function cpuModel(cpuinfo: string): string | null {
  const named = field(cpuinfo, 'model name') ?? field(cpuinfo, 'cpu model') ?? field(cpuinfo, 'Processor');
  if (named !== null && named !== '') return printable(named.replace(/\s+/g, ' '));
  const implementer = field(cpuinfo, 'CPU implementer');
  const part = field(cpuinfo, 'CPU part');
  return implementer === null || part === null ? null : printable(`CPU implementer ${implementer}, part ${part}`);
}

/** Sockets and cores of all processors in /proc/cpuinfo; null where it does not tell them apart, as on arm64. */
export function cpuTopology(cpuinfo: string): { readonly sockets: number | null; readonly cores: number | null } {
  const sockets = new Set<string>();
  const cores = new Set<string>();
  for (const block of cpuinfo.split(/\n[ \t]*\n/)) {
    const socket = field(block, 'physical id');
    const core = field(block, 'core id');
    if (socket === null || core === null) continue;
    sockets.add(socket);
    cores.add(`${socket} ${core}`);
  }
  return cores.size === 0 ? { sockets: null, cores: null } : { sockets: sockets.size, cores: cores.size };
}

/** The name in /etc/os-release (os-release(5)) that is for people. */
export function distributionOf(osRelease: string): string | null {
  const value = /^PRETTY_NAME=(.*)$/m.exec(osRelease)?.[1]?.trim() ?? '';
  const name = value.replace(/^(["'])(.*)\1$/, '$2').replace(/\\(.)/g, '$1');
  return name === '' ? null : printable(name);
}

/** The flags of the first processor; empty where the kernel lists none. */
export function cpuFlags(cpuinfo: string): ReadonlySet<string> {
  const flags = field(cpuinfo, 'flags') ?? field(cpuinfo, 'Features') ?? '';
  return new Set(flags.split(' ').filter((flag) => flag !== ''));
}

/** The frequency of one processor as /proc/cpuinfo says; of all on average where `cpu` is null. */
export function cpuinfoHz(cpuinfo: string, cpu: number | null): number | null {
  const values: number[] = [];
  for (const block of cpuinfo.split(/\n[ \t]*\n/)) {
    const mhz = Number(field(block, 'cpu MHz') ?? 'none');
    const wanted = cpu === null || Number(field(block, 'processor') ?? 'none') === cpu;
    if (wanted && Number.isFinite(mhz) && mhz > 0) values.push(mhz * 1e6);
  }
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The first value of a field in `name : value` lines. */
function field(text: string, name: string): string | null {
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon !== -1 && line.slice(0, colon).trimEnd() === name) return line.slice(colon + 1).trim();
  }
  return null;
}

export interface VirtualSigns {
  readonly cpuinfo: string | null;
  /** /sys/hypervisor/type: `xen`, also for the privileged domain. */
  readonly hypervisor: string | null;
  /** /sys/class/dmi/id/sys_vendor and product_name. */
  readonly vendor: string | null;
  readonly product: string | null;
  /** Whether the device tree has a node `hypervisor` (arm64 guests of KVM and Xen). */
  readonly device_tree: boolean;
}

const VIRTUAL_VENDORS =
  /^(?:QEMU|KVM|VMware|innotek|Xen|Bochs|Parallels|BHYVE|OpenStack|Red Hat|Google|DigitalOcean|Hetzner|Alibaba Cloud|Apple Virtualization|Nutanix|oVirt)/i;
const VIRTUAL_PRODUCTS = /virtual machine|virtualbox|vmware|kvm|hvm domu|cloud server|ecs$/i;

/**
 * Whether this is a virtual machine. x86 hypervisors set a flag that no hardware has; elsewhere the firmware's names have
 * to do, and where there are none the answer is null.
 */
export function isVirtual(signs: VirtualSigns): boolean | null {
  const flags = cpuFlags(signs.cpuinfo ?? '');
  if (flags.has('hypervisor') || (signs.hypervisor ?? '') !== '' || signs.device_tree) return true;
  const vendor = signs.vendor ?? '';
  const product = signs.product ?? '';
  // The clouds also rent whole machines under their own name.
  if (/metal/i.test(product)) return false;
  if (VIRTUAL_VENDORS.test(vendor) || VIRTUAL_PRODUCTS.test(product)) return true;
  if (/^Amazon EC2/i.test(vendor)) return true;
  // `lm` and `fpu` stand in x86 processors alone: there a missing flag says no.
  return flags.has('fpu') || vendor !== '' || product !== '' ? false : null;
}

/** Whether the processor may raise its frequency above nominal. Text of intel_pstate/no_turbo and of cpufreq/boost. */
export function turboAllowed(noTurbo: string | null, boost: string | null): boolean | null {
  const off = noTurbo?.trim();
  if (off === '0' || off === '1') return off === '0';
  const on = boost?.trim();
  return on === '0' || on === '1' ? on === '1' : null;
}

export interface Mount {
  /** Of the file system. */
  readonly type: string;
  /** `major:minor` of what is mounted; major 0 where that is no block device. */
  readonly device: string;
  /** As the mount was asked for: a device, a share, or a word. */
  readonly source: string;
}

/**
 * What an absolute path without links lies on, from /proc/self/mountinfo (proc(5)): the longest mount point above it, and
 * the last one where several are mounted on top of each other.
 */
export function mountOf(mountinfo: string, path: string): Mount | null {
  let longest = -1;
  let mount: Mount | null = null;
  for (const line of mountinfo.split('\n')) {
    // 36 35 98:0 /root /mount/point rw,noatime [optional fields …] - ext4 /dev/root rw
    const fields = line.split(' ');
    const separator = fields.indexOf('-', 6);
    const [, , device, , encoded] = fields;
    const type = separator === -1 ? undefined : fields[separator + 1];
    if (device === undefined || encoded === undefined || type === undefined || type === '') continue;
    const point = decodeOctal(encoded);
    const above = point === '/' || path === point || path.startsWith(`${point}/`);
    if (above && point.length >= longest) {
      longest = point.length;
      mount = { type: printable(decodeOctal(type)), device, source: decodeOctal(fields[separator + 2] ?? '') };
    }
  }
  return mount;
}

/** Blank, tab, newline and backslash stand as `\040`, `\011`, `\012` and `\134`. */
export function decodeOctal(text: string): string {
  return text.replace(/\\([0-3][0-7]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** Text of others on its way into journals and reports: nothing that a terminal obeys, nothing invisible. */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}
