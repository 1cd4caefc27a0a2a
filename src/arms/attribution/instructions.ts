/** From what `objdump -d` prints to pieces of code: functions, and code that no symbol names. */
import type { Layout } from './layout.ts';
import { isPadding, MACHINES, type MachineKind, type Mask, maskFor } from './mask.ts';

/** Takes what is found, in the order of addresses. */
export interface CodeVisitor {
  /** A piece of code begins; `name` is empty where no symbol names it. */
  readonly begin: (name: string, start: number) => void;
  /** Instructions of the piece that has begun; `offset` counts from its start. */
  readonly instruction: (masked: string, offset: number) => void;
  /** The piece ends; `bytes` is its length without what fills the space behind it. */
  readonly end: (bytes: number) => void;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly mask: Mask;
  /** Instructions that do nothing: they count only where others follow. */
  readonly pending: { readonly text: string; readonly address: number }[];
  last: number;
}

const FORMAT = /^.*: {4,8}file format ([\w-]{1,40})$/;
const SECTION = /^Disassembly of section (.*):$/;
/** Calls of functions in other libraries go through these; linkers make them, and number them. */
const STUBS = /^\.(?:i?plt)(?:\.|$)/;
const MOST_PENDING = 1024;

export interface LineReader {
  /** @returns false where nothing can be made of the lines: the machine is none that is understood */
  readonly line: (text: string) => boolean;
  readonly end: () => void;
  readonly machine: () => MachineKind | null;
}

/** Reads the lines of `objdump -d -w --no-show-raw-insn`. Memory does not grow with the length of a function. */
export function readInstructions(layout: Layout, visitor: CodeVisitor): LineReader {
  const state: { machine: MachineKind | null; skipped: boolean; piece: Piece | null } = {
    machine: null,
    skipped: false,
    piece: null,
  };

  /** @param next where the next instruction lies; null where none follows in this section */
  const close = (next: number | null) => {
    const { piece } = state;
    if (piece === null) return;
    state.piece = null;
    const behind = next ?? (Number.isFinite(piece.end) ? piece.end : piece.last + 1);
    visitor.end(Math.min(piece.pending[0]?.address ?? behind, piece.end) - piece.start);
  };
  const open = (address: number, machine: MachineKind): Piece => {
    const named = layout.functionAt(address);
    const start = named?.start ?? address;
    const end = named?.end ?? layout.nextFunction(address);
    visitor.begin(named?.name ?? '', start);
    return { start, end, mask: maskFor(machine, layout, { start, end }), pending: [], last: start };
  };
  const add = (address: number, text: string, machine: MachineKind) => {
    if (state.piece !== null && (address >= state.piece.end || address < state.piece.start)) close(address);
    const pads = isPadding(text);
    // What fills the space between functions belongs to none of them.
    if (state.piece === null && pads && layout.functionAt(address) === null) return;
    const piece = state.piece ?? open(address, machine);
    state.piece = piece;
    piece.last = address;
    if (pads && piece.pending.length < MOST_PENDING) {
      piece.pending.push({ text, address });
      return;
    }
    for (const one of piece.pending) visitor.instruction(one.text, one.address - piece.start);
    piece.pending.length = 0;
    visitor.instruction(piece.mask(text), address - piece.start);
  };

  return {
    machine: () => state.machine,
    end: () => close(null),
    line: (text) => {
      const colon = text.startsWith(' ') ? text.indexOf(':\t') : -1;
      if (colon !== -1) {
        const digits = text.slice(0, colon).trimStart();
        if (state.skipped || state.machine === null || !/^[0-9a-f]{1,16}$/.test(digits)) return true;
        add(Number.parseInt(digits, 16), text.slice(colon + 2).trimEnd(), state.machine);
        return true;
      }
      const section = SECTION.exec(text)?.[1];
      if (section !== undefined) {
        close(null);
        state.skipped = STUBS.test(section);
        return true;
      }
      const format = state.machine === null ? FORMAT.exec(text)?.[1] : undefined;
      if (format === undefined) return true;
      state.machine = MACHINES[format] ?? null;
      return state.machine !== null;
    },
  };
}
