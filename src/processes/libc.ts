// The few functions of the C library that the engine does not offer, with the constants of Linux for both architectures.
import { dlopen, type Pointer, ptr, read } from "bun:ffi";
import { C_LIBRARIES } from "../base";

const FUNCTIONS = {
  prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
  syscall: { args: ["i64", "i64", "i64", "i64", "i64", "i64"], returns: "i64" },
  pipe2: { args: ["ptr", "i32"], returns: "i32" },
  socketpair: { args: ["i32", "i32", "i32", "ptr"], returns: "i32" },
  sendmsg: { args: ["i32", "ptr", "i32"], returns: "i64" },
  recvmsg: { args: ["i32", "ptr", "i32"], returns: "i64" },
  fcntl: { args: ["i32", "i32", "i32"], returns: "i32" },
  memfd_create: { args: ["ptr", "u32"], returns: "i32" },
  open: { args: ["ptr", "i32", "i32"], returns: "i32" },
  setrlimit: { args: ["i32", "ptr"], returns: "i32" },
  waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" },
  signal: { args: ["i32", "u64"], returns: "u64" },
  getpagesize: { args: [], returns: "i32" },
  execve: { args: ["ptr", "ptr", "ptr"], returns: "i32" },
  __errno_location: { args: [], returns: "ptr" },
} as const;

type Libc = ReturnType<typeof load>;
let loaded: Libc | undefined;

/** The functions. Throws where there is no C library of Linux. */
export function libc(): Libc {
  loaded ??= load();
  return loaded;
}

function load() {
  let reason: unknown;
  for (const library of C_LIBRARIES) {
    try {
      return dlopen(library, FUNCTIONS).symbols;
    } catch (error) {
      // This system has the other one.
      reason = error;
    }
  }
  throw new Error("the C library could not be loaded", { cause: reason });
}

/** The error number of the last call. */
export function errno(): number {
  const place = libc().__errno_location();
  return place === null ? 0 : read.i32(place, 0);
}

/** A system call by number. Missing arguments are 0. */
export function systemCall(number: number, ...args: readonly (number | bigint | Pointer)[]): number {
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = args;
  return Number(libc().syscall(BigInt(number), BigInt(a), BigInt(b), BigInt(c), BigInt(d), BigInt(e)));
}

export function prctl(option: number, value: number | bigint = 0, third: number | bigint = 0): number {
  return libc().prctl(option, BigInt(value), BigInt(third), 0n, 0n);
}

/** Zero-terminated text. The caller keeps it while the address is in use. */
export function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

/** A list of texts as `execve` wants it, with everything that must stay in memory. */
export function textList(values: readonly string[]): { list: BigUint64Array; keep: readonly Buffer[] } {
  const keep = values.map(text);
  const list = new BigUint64Array(values.length + 1);
  keep.forEach((bytes, index) => (list[index] = BigInt(ptr(bytes))));
  return { list, keep };
}

export { ptr };
