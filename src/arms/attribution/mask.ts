/**
 * Instructions without what only tells where something lies. A function that was moved, or calls one that was, keeps its
 * text: jumps within it are distances from its start, everything else that is referred to is told by its name.
 */
import type { Layout } from './layout.ts';

/** The code that is being read: `start` is what distances are from. */
export interface Surroundings {
  readonly start: number;
  readonly end: number;
}

/** Masks one instruction after the other of one piece of code. */
export type Mask = (text: string) => string;

export type MachineKind = 'x86-64' | 'aarch64';

/** Kinds of machines whose instructions are understood, by the name that objdump gives a file's format. */
export const MACHINES: Readonly<Record<string, MachineKind>> = {
  'elf64-x86-64': 'x86-64',
  'elf64-littleaarch64': 'aarch64',
};

const MASKS: Readonly<Record<MachineKind, (layout: Layout, around: Surroundings) => Mask>> = {
  'x86-64': (layout, around) => (text) => maskX86(text, layout, around),
  aarch64: maskArm64,
};

/** A mask for one piece of code: instructions as objdump writes them, in their order. */
export function maskFor(machine: MachineKind, layout: Layout, around: Surroundings): Mask {
  return MASKS[machine](layout, around);
}

/** Whether an instruction does nothing, such as one that fills the space up to the next function. */
export function isPadding(text: string): boolean {
  return /^(?:(?:data16|cs|ds|es|fs|gs|ss|rex\.W) ){0,15}(?:nop[wlq]?\b|int3$|xchg +%ax,%ax$|udf\t#0$)/.test(text);
}

const HEX = /^(?:0x)?[0-9a-f]{1,16}$/;

/**
 * What an address is called: a distance within the code that is read, a function, data, else its section.
 * @param annotation what objdump says between angle brackets
 */
function nameOf(address: number, annotation: string, layout: Layout, around: Surroundings): string {
  if (address >= around.start && address < around.end) return `+0x${(address - around.start).toString(16)}`;
  // Stubs of other libraries' functions; those that are chosen at the start are told by an address.
  if (annotation.endsWith('@plt')) return `<${annotation.replace(/\+0x[0-9a-f]+/, '')}>`;
  const code = layout.functionAt(address);
  // How far within another function is that function's matter.
  if (code !== null) return code.start === address ? `<${code.name}>` : `<${code.name}+...>`;
  const data = layout.dataAt(address);
  if (data !== null) return `<${data}>`;
  // Slots of addresses that the loader fills in are named by objdump alone. Anything it adds a distance to only lies before.
  if (annotation !== '' && !/[+-]0x[0-9a-f]+$/.test(annotation)) return `<${annotation}>`;
  return `<${layout.sectionAt(address) ?? 'nothing'}>`;
}

/** The text between the angle brackets that end a line; empty where there are none. */
function annotationOf(text: string, from: number): string {
  const open = text.indexOf('<', from);
  return open === -1 || !text.endsWith('>') ? '' : text.slice(open + 1, -1);
}

function maskX86(text: string, layout: Layout, around: Surroundings): string {
  const rip = text.indexOf('(%rip)');
  if (rip !== -1) {
    // objdump repeats the address that it worked out: `mov 0x10(%rip),%rax        # 4020 <counter>`.
    const comment = text.indexOf('# ', rip);
    if (comment === -1) return text;
    const digits = text.slice(comment + 2).split(' ', 1)[0] ?? '';
    if (!HEX.test(digits)) return text;
    const address = Number.parseInt(digits, 16);
    const before = text.slice(0, rip).replace(/-?0x[0-9a-f]{1,16}$/, '');
    const after = text.slice(rip + 6, comment).trimEnd();
    const name = nameOf(address, annotationOf(text, comment), layout, around);
    const bytes = name.startsWith('<.') ? bytesRead(before, after) : 0;
    const constant = bytes === 0 ? null : layout.constantAt(address, bytes);
    return `${before}${constant === null ? name : `<constant ${constant}>`}${after}`;
  }
  const open = text.indexOf(' <');
  if (open !== -1) {
    const space = text.lastIndexOf(' ', open - 1);
    const digits = text.slice(space + 1, open);
    if (!HEX.test(digits)) return text;
    const name = nameOf(Number.parseInt(digits, 16), annotationOf(text, open), layout, around);
    return `${text.slice(0, space + 1)}${name}`;
  }
  if (!layout.fixed) return text;
  return text.replace(/(?<![-0-9a-z])0x[0-9a-f]{5,16}/g, (digits) => {
    const address = Number.parseInt(digits, 16);
    return layout.sectionAt(address) === null ? digits : nameOf(address, '', layout, around);
  });
}

const WHOLE_REGISTER =
  /^v?(?:mov[au]p[sd]|movdq[au](?:8|16|32|64)?|(?:add|sub|mul|div|and|andn|or|xor|min|max|cmp[a-z]*)p[sd]|p(?:and|andn|or|xor)|p(?:add|sub)[bwdq]|pshufb|pcmp(?:eq|gt)[bwdq])$/;

/** How many bytes of a constant the instruction reads at least: what lies behind it may be another's. */
function bytesRead(before: string, after: string): number {
  const [mnemonic = ''] = before.split(' ', 1);
  // The address of something, not its value.
  if (mnemonic.startsWith('lea')) return 0;
  if (WHOLE_REGISTER.test(mnemonic)) return after.includes('%zmm') ? 64 : after.includes('%ymm') ? 32 : 16;
  if (/(?:sd|^v?movq|^v?cvtsd2.*)$/.test(mnemonic)) return 8;
  if (/(?:ss|^v?movd|^v?cvtss2.*)$/.test(mnemonic)) return 4;
  return 1;
}

/** Addresses are put together of a page (`adrp`) and the rest, in one of the instructions that follow. */
function maskArm64(layout: Layout, around: Surroundings): Mask {
  const pages = new Map<string, number>();
  return (text) => {
    const open = text.indexOf(' <');
    if (open !== -1) {
      const space = Math.max(text.lastIndexOf(' ', open - 1), text.lastIndexOf('\t', open - 1));
      const digits = text.slice(space + 1, open);
      if (!HEX.test(digits)) return text;
      const address = Number.parseInt(digits, 16);
      const page = /^adrp\t(x\d{1,2}), $/.exec(text.slice(0, space + 1));
      if (page?.[1] !== undefined) {
        pages.set(page[1], address);
        return `adrp\t${page[1]}, <page>`;
      }
      const close = text.indexOf('>', open);
      return (
        text.slice(0, space + 1) +
        nameOf(address, text.slice(open + 2, close === -1 ? undefined : close), layout, around)
      );
    }
    const rest =
      /^(add\tx\d{1,2}, (x\d{1,2}), |[a-z0-9]{2,8}\t[a-z0-9, ]{2,12}, \[(x\d{1,2}), )#0x([0-9a-f]{1,4})(\]?)$/.exec(
        text,
      );
    const base = rest?.[2] ?? rest?.[3];
    const page = base === undefined ? undefined : pages.get(base);
    const written = /^(?!st)[a-z0-9.]+\t(?:[wx])(\d{1,2}),/.exec(text)?.[1];
    if (written !== undefined) pages.delete(`x${written}`);
    if (rest === null || page === undefined) return text;
    return `${rest[1]}${nameOf(page + Number.parseInt(rest[4] ?? '0', 16), '', layout, around)}${rest[5]}`;
  };
}
