// Reads what an executable says about itself: the system and processor it is for, its loader and the libraries it needs.
// Sources of the layouts: elf(5), and mach-o/loader.h of macOS.
import { closeSync, openSync, readSync } from "node:fs";

export interface Headers {
  format: "ELF64" | "Mach-O 64";
  arch: "x64" | "arm64";
  /** The program that loads it; of ELF only. */
  interpreter?: string;
  libraries: string[];
  /** The oldest C library that has all functions which it uses; of ELF for glibc only. */
  glibc?: string;
  /** The oldest macOS that it is for; of Mach-O only. */
  macos?: string;
}

/** @throws Error for any other file. */
export function headersOf(path: string): Headers {
  const file = openSync(path, "r");
  try {
    const magic = view(file, 0, 4).getUint32(0);
    if (magic === 0x7f454c46) return elf(file);
    if (magic === 0xcffaedfe) return machO(file);
    throw new Error(`${path} is neither an ELF nor a Mach-O executable for 64 bits.`);
  } finally {
    closeSync(file);
  }
}

const ELF_MACHINES: Readonly<Record<number, Headers["arch"]>> = { 0x3e: "x64", 0xb7: "arm64" };
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const DT_NEEDED = 1;
const DT_STRTAB = 5;
const DT_STRSZ = 10;
const DT_VERNEED = 0x6ffffffe;
const DT_VERNEEDNUM = 0x6fffffff;

interface Segment {
  type: number;
  offset: number;
  address: number;
  size: number;
}

function elf(file: number): Headers {
  const header = view(file, 0, 64);
  if (header.getUint8(4) !== 2 || header.getUint8(5) !== 1)
    throw new Error("The executable is not one for 64 bits, little-endian.");
  const arch = ELF_MACHINES[header.getUint16(18, true)];
  if (arch === undefined) throw new Error("The executable is for an unknown processor.");
  const segments = segmentsOf(file, header);
  const loader = segments.find(({ type }) => type === PT_INTERP);
  const dynamic = dynamicOf(file, segments);
  const [strings = 0] = dynamic.get(DT_STRTAB) ?? [];
  const [length = 0] = dynamic.get(DT_STRSZ) ?? [];
  const names = view(file, offsetOf(strings, segments), length);
  const glibc = newest(versionsOf(file, segments, dynamic, names));
  return {
    format: "ELF64",
    arch,
    ...(loader === undefined ? {} : { interpreter: text(view(file, loader.offset, loader.size), 0) }),
    libraries: (dynamic.get(DT_NEEDED) ?? []).map((at) => text(names, at)),
    ...(glibc === undefined ? {} : { glibc }),
  };
}

function segmentsOf(file: number, header: DataView): Segment[] {
  const size = header.getUint16(54, true);
  const count = header.getUint16(56, true);
  const table = view(file, long(header, 32), size * count);
  return Array.from({ length: count }, (_, index) => ({
    type: table.getUint32(index * size, true),
    offset: long(table, index * size + 8),
    address: long(table, index * size + 16),
    size: long(table, index * size + 32),
  }));
}

function dynamicOf(file: number, segments: readonly Segment[]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  const section = segments.find(({ type }) => type === PT_DYNAMIC);
  if (section === undefined) return found;
  const table = view(file, section.offset, section.size);
  for (let at = 0; at + 16 <= section.size; at += 16) {
    const tag = long(table, at);
    found.set(tag, [...(found.get(tag) ?? []), long(table, at + 8)]);
  }
  return found;
}

// The names of the versions of symbols that the libraries must have: `GLIBC_2.17`.
function versionsOf(
  file: number,
  segments: readonly Segment[],
  dynamic: ReadonlyMap<number, number[]>,
  names: DataView,
): string[] {
  const [address] = dynamic.get(DT_VERNEED) ?? [];
  const [libraries = 0] = dynamic.get(DT_VERNEEDNUM) ?? [];
  if (address === undefined) return [];
  const found: string[] = [];
  let library = offsetOf(address, segments);
  for (let index = 0; index < libraries; index += 1) {
    const entry = view(file, library, 16);
    let version = library + entry.getUint32(8, true);
    for (let left = entry.getUint16(2, true); left > 0; left -= 1) {
      const one = view(file, version, 16);
      found.push(text(names, one.getUint32(8, true)));
      version += one.getUint32(12, true);
    }
    library += entry.getUint32(12, true);
  }
  return found;
}

function newest(versions: readonly string[]): string | undefined {
  const numbers = versions.flatMap((version) => /^GLIBC_(\d+)\.(\d+)/.exec(version)?.slice(1, 3) ?? []);
  const minors = numbers.filter((_, index) => index % 2 === 1).map(Number);
  return minors.length === 0 ? undefined : `2.${Math.max(...minors)}`;
}

function offsetOf(address: number, segments: readonly Segment[]): number {
  const segment = segments.find(
    (one) => one.type === PT_LOAD && address >= one.address && address < one.address + one.size,
  );
  if (segment === undefined) throw new Error("The executable refers to an address outside of its file.");
  return segment.offset + address - segment.address;
}

const MACH_PROCESSORS: Readonly<Record<number, Headers["arch"]>> = {
  0x01000007: "x64",
  0x0100000c: "arm64",
};
// LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB, LC_REEXPORT_DYLIB
const LIBRARY_COMMANDS = new Set([0xc, 0x80000018, 0x8000001f]);
const LC_BUILD_VERSION = 0x32;

function machO(file: number): Headers {
  const header = view(file, 0, 32);
  const arch = MACH_PROCESSORS[header.getUint32(4, true)];
  if (arch === undefined) throw new Error("The executable is for an unknown processor.");
  const commands = view(file, 32, header.getUint32(20, true));
  const libraries: string[] = [];
  let macos: string | undefined;
  let at = 0;
  for (let left = header.getUint32(16, true); left > 0; left -= 1) {
    const command = commands.getUint32(at, true);
    if (LIBRARY_COMMANDS.has(command)) libraries.push(text(commands, at + commands.getUint32(at + 8, true)));
    if (command === LC_BUILD_VERSION) macos = versionOf(commands.getUint32(at + 12, true));
    at += commands.getUint32(at + 4, true);
  }
  return { format: "Mach-O 64", arch, libraries, ...(macos === undefined ? {} : { macos }) };
}

// 0x000d0000 → 13.0
function versionOf(packed: number): string {
  return `${packed >>> 16}.${(packed >>> 8) & 0xff}`;
}

function view(file: number, offset: number, length: number): DataView {
  const bytes = new Uint8Array(length);
  if (readSync(file, bytes, 0, length, offset) !== length) throw new Error("The executable is cut off.");
  return new DataView(bytes.buffer);
}

function long(data: DataView, at: number): number {
  return Number(data.getBigUint64(at, true));
}

function text(data: DataView, at: number): string {
  const bytes = new Uint8Array(data.buffer, at);
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(bytes.subarray(0, end === -1 ? undefined : end));
}
