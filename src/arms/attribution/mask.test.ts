import { describe, expect, test } from 'vitest';
import type { CodeRange, Layout } from './layout.ts';
import { isPadding, maskFor } from './mask.ts';

const FUNCTIONS: readonly CodeRange[] = [
  { name: 'here', start: 0x1000, end: 0x1080 },
  { name: '_Z5otheri', start: 0x1100, end: 0x1180 },
];
const DATA: readonly CodeRange[] = [{ name: 'table', start: 0x4000, end: 0x4100 }];

function layout(fixed = false): Layout {
  const within = (ranges: readonly CodeRange[], at: number) =>
    ranges.find(({ start, end }) => at >= start && at < end) ?? null;
  return {
    symbols: 'all',
    fixed,
    functions: FUNCTIONS,
    functionAt: (at) => within(FUNCTIONS, at),
    nextFunction: () => Number.POSITIVE_INFINITY,
    dataAt: (at) => {
      const found = within(DATA, at);
      return found === null
        ? null
        : `${found.name}${at === found.start ? '' : `+0x${(at - found.start).toString(16)}`}`;
    },
    sectionAt: (at) =>
      at < 0x1000 ? null : at < 0x2000 ? '.text' : at < 0x3000 ? '.rodata' : at < 0x5000 ? '.data' : null,
    constantAt: (at, bytes) => (at >= 0x2000 && at < 0x3000 ? 'ab'.repeat(bytes) : null),
  };
}

function x86(text: string, fixed = false): string {
  return maskFor('x86-64', layout(fixed), { start: 0x1000, end: 0x1080 })(text);
}

describe('x86-64', () => {
  test.each([
    ['a jump within the function', 'je     1010 <here+0x10>', 'je     +0x10'],
    ['a jump to its start', 'jmp    1000 <here>', 'jmp    +0x0'],
    ['a call', 'call   1100 <_Z5otheri>', 'call   <_Z5otheri>'],
    ['a call with a prefix', 'bnd call 1100 <_Z5otheri>', 'bnd call <_Z5otheri>'],
    ['a jump into another function', 'jmp    1123 <_Z5otheri+0x23>', 'jmp    <_Z5otheri+...>'],
    ['a call of another library', 'call   900 <printf@plt>', 'call   <printf@plt>'],
    ['one that is chosen at the start', 'call   900 <*ABS*+0xa08cf0@plt>', 'call   <*ABS*@plt>'],
    ['a call of code without a name', 'call   1090 <here+0x90>', 'call   <.text>'],
    ['data', 'mov    0x2ff9(%rip),%rax        # 4000 <table>', 'mov    <table>,%rax'],
    ['data behind its start', 'mov    0x2ff9(%rip),%rax        # 4010 <table+0x10>', 'mov    <table+0x10>,%rax'],
    ['data that is written', 'mov    %eax,0x2ff9(%rip)        # 4000 <table>', 'mov    %eax,<table>'],
    ['data without a name', 'lea    -0x12(%rip),%rdi        # 4200 <table+0x200>', 'lea    <.data>,%rdi'],
    [
      'a slot that the loader fills',
      'mov    0x2eee(%rip),%rax        # 4ff0 <free@GLIBC_2.2.5>',
      'mov    <free@GLIBC_2.2.5>,%rax',
    ],
    ['a text', 'lea    0xf97(%rip),%rdi        # 2008 <_IO_stdin_used+0x8>', 'lea    <.rodata>,%rdi'],
    ['a number', 'mulsd  0xea8(%rip),%xmm0        # 2030 <x+0x30>', 'mulsd  <constant abababababababab>,%xmm0'],
    ['numbers', 'movaps 0xea8(%rip),%xmm0        # 2030 <x+0x30>', `movaps <constant ${'ab'.repeat(16)}>,%xmm0`],
    ['what is no address', 'mov    $0x401000,%eax', 'mov    $0x401000,%eax'],
    ['a place on the stack', 'mov    -0xd0(%rbp),%rdi', 'mov    -0xd0(%rbp),%rdi'],
    ['a call through a pointer', 'call   *0x8(%rax)', 'call   *0x8(%rax)'],
  ])('%s', (_, text, masked) => expect(x86(text)).toBe(masked));

  test.each([
    ['mov    $0x4010,%edi', 'mov    $0x4010,%edi'],
    ['mov    $0x01100,%edi', 'mov    $<_Z5otheri>,%edi'],
    ['mov    0x04010(,%rax,8),%rdx', 'mov    <table+0x10>(,%rax,8),%rdx'],
    ['add    $0xfffff000,%edi', 'add    $0xfffff000,%edi'],
    ['mov    -0x04010(%rbp),%edi', 'mov    -0x04010(%rbp),%edi'],
  ])('at fixed addresses, %s', (text, masked) => expect(x86(text, true)).toBe(masked));

  test('moved by any distance, a function keeps its text', () => {
    const at = (distance: number) => {
      const far = (address: number) => (address + distance).toString(16);
      const start = 0x1000 + distance;
      const functionAt = (address: number) => {
        const found = layout().functionAt(address - distance);
        return found === null ? null : { ...found, start: found.start + distance, end: found.end + distance };
      };
      const moved = { ...layout(), functionAt };
      const mask = maskFor('x86-64', moved, { start, end: start + 0x80 });
      return [`je     ${far(0x1010)} <x>`, `call   ${far(0x1100)} <x>`, 'ret'].map(mask);
    };
    expect(at(0x123450)).toEqual(at(0));
  });

  test.each([
    'call   zz <x>',
    'mov    0x1(%rip),%rax',
    'mov    0x1(%rip),%rax        # ',
    'mov    0x1(%rip),%rax        # zz <x>',
    ' <',
    '',
  ])('%j stays as it is', (text) => expect(x86(text)).toBe(text));
});

describe('aarch64', () => {
  const mask = () => maskFor('aarch64', layout(), { start: 0x1000, end: 0x1080 });

  test('jumps and calls', () => {
    expect(
      ['b.ne\t1024 <here+0x24>  // b.any', 'bl\t1100 <_Z5otheri>', 'cbz\tx0, 1010 <here+0x10>'].map(mask()),
    ).toEqual(['b.ne\t+0x24', 'bl\t<_Z5otheri>', 'cbz\tx0, +0x10']);
  });

  test('an address in two instructions', () => {
    expect(
      ['adrp\tx0, 4000 <x>', 'ldr\tx1, [x0, #0x10]', 'add\tx0, x0, #0x10', 'ldr\tx2, [x0, #0x8]'].map(mask()),
    ).toEqual(['adrp\tx0, <page>', 'ldr\tx1, [x0, <table+0x10>]', 'add\tx0, x0, <table+0x10>', 'ldr\tx2, [x0, #0x8]']);
  });
});

test('padding', () => {
  for (const text of [
    'nop',
    'nopw   0x0(%rax,%rax,1)',
    'data16 cs nopw 0x0(%rax,%rax,1)',
    'xchg   %ax,%ax',
    'int3',
    'cs nopw 0x0(%rax)',
  ]) {
    expect([text, isPadding(text)]).toEqual([text, true]);
  }
  for (const text of ['ret', 'xchg   %ax,%bx', 'mov    %eax,%eax', 'cs ret']) {
    expect([text, isPadding(text)]).toEqual([text, false]);
  }
});
