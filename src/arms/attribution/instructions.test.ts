import { expect, test } from 'vitest';
import { readInstructions } from './instructions.ts';
import type { CodeRange, Layout } from './layout.ts';

const FUNCTIONS: readonly CodeRange[] = [
  { name: 'one', start: 0x1000, end: 0x1006 },
  { name: 'two', start: 0x1010, end: 0x1012 },
  { name: 'unsized', start: 0x1030, end: 0x1100 },
];

const LAYOUT: Layout = {
  symbols: 'all',
  fixed: false,
  functions: FUNCTIONS,
  functionAt: (at) => FUNCTIONS.find(({ start, end }) => at >= start && at < end) ?? null,
  nextFunction: (at) => FUNCTIONS.find(({ start }) => start > at)?.start ?? Number.POSITIVE_INFINITY,
  dataAt: () => null,
  sectionAt: () => '.text',
  constantAt: () => null,
};

function read(text: string) {
  const pieces: { name: string; start: number; bytes: number; code: string[] }[] = [];
  const reader = readInstructions(LAYOUT, {
    begin: (name, start) => pieces.push({ name, start, bytes: -1, code: [] }),
    instruction: (masked, offset) => pieces.at(-1)?.code.push(`${offset} ${masked}`),
    end: (bytes) => Object.assign(pieces.at(-1) ?? {}, { bytes }),
  });
  const understood = text.split('\n').every(reader.line);
  reader.end();
  return { pieces, understood, machine: reader.machine() };
}

const HEAD = '\n/x/y:     file format elf64-x86-64\n\n\nDisassembly of section .text:\n';

test('functions, code between them, and padding that belongs to none', () => {
  const { pieces, understood, machine } = read(`${HEAD}
0000000000001000 <one>:
    1000:\tje     1004 <one+0x4>
    1002:\tnop
    1003:\tnop
    1004:\tcall   1030 <unsized>
    1006:\tcs nopw 0x0(%rax,%rax,1)

0000000000001010 <two>:
    1010:\txor    %eax,%eax
    1012:\tnop
    1018:\tpush   %rbx
    1019:\tjmp    1018 <two+0x8>
    101b:\tret
    101c:\tnopl   0x0(%rax)

0000000000001030 <unsized>:
    1030:\tret
    1031:\txchg   %ax,%ax
`);
  expect(understood).toBe(true);
  expect(machine).toBe('x86-64');
  expect(pieces).toEqual([
    { name: 'one', start: 0x1000, bytes: 6, code: ['0 je     +0x4', '2 nop', '3 nop', '4 call   <unsized>'] },
    { name: 'two', start: 0x1010, bytes: 2, code: ['0 xor    %eax,%eax'] },
    { name: '', start: 0x1018, bytes: 4, code: ['0 push   %rbx', '1 jmp    +0x0', '3 ret'] },
    { name: 'unsized', start: 0x1030, bytes: 1, code: ['0 ret'] },
  ]);
});

test('stubs of the linker are left out', () => {
  const stubs =
    '\nDisassembly of section .plt.sec:\n\n0000000000001000 <f@plt>:\n    1000:\tjmp    *0x2fca(%rip)        # 4000 <x>\n';
  expect(read(`${HEAD.replace('.text', '.init')}    1010:\tret\n${stubs}`).pieces.map(({ name }) => name)).toEqual([
    'two',
  ]);
});

test('another machine is not understood', () => {
  expect(read('\nx:     file format elf32-littlearm\n\n')).toMatchObject({ understood: false, machine: null });
});

test('lines of any kind do no harm', () => {
  const strange = [
    '    zz:\tret',
    '\t...',
    ' :\t',
    '    1000:',
    'Disassembly of section :',
    '    fffffffffffffffff:\tret',
    '\u001b[31m',
  ];
  expect(read(`${HEAD}${strange.join('\n')}`).pieces).toEqual([]);
});
