// A program that tries what its command line says, and prints what came of each attempt: "ok" or the name of the error.
import { dlopen, ptr, read } from "bun:ffi";
import { appendFileSync, chmodSync, closeSync, openSync, readdirSync, readSync, rmSync } from "node:fs";
import { getSystemErrorMap } from "node:util";

export type Attempt =
  | { read: string }
  | { list: string }
  | { append: string }
  | { remove: string }
  | { chmod: string; mode: number }
  | { create: string; mode: number }
  | { run: string }
  | { signal: number }
  | { memoryOf: number }
  /** The number of a system call and its arguments; "bytes" is the address of 256 zero bytes. */
  | { call: number; with: readonly (number | "bytes")[] };

const libc = dlopen(`libc.so.6`, {
  syscall: { args: ["i64", "i64", "i64", "i64", "i64", "i64", "i64"], returns: "i64" },
  __errno_location: { args: [], returns: "ptr" },
}).symbols;

function trySystemCall(number: number, values: readonly (number | "bytes")[]): void {
  const bytes = new Uint8Array(256);
  const given = values.map((value) => BigInt(value === "bytes" ? ptr(bytes) : value));
  const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n] = given;
  if (libc.syscall(BigInt(number), a, b, c, d, e, f) !== -1n) return;
  const place = libc.__errno_location();
  const error = place === null ? 0 : read.i32(place, 0);
  throw Object.assign(new Error(), { code: getSystemErrorMap().get(-error)?.[0] ?? String(error) });
}

function open(path: string, flags: string, mode?: number): void {
  const file = openSync(path, flags, mode);
  if (flags === "r") readSync(file, Buffer.alloc(1), 0, 1, 0);
  closeSync(file);
}

// A byte of memory that is mapped in every process of the same program.
function readMemoryOf(pid: number): void {
  const file = openSync(`/proc/${pid}/mem`, "r");
  closeSync(file);
}

function attempt(each: Attempt): void {
  if ("read" in each) open(each.read, "r");
  else if ("list" in each) readdirSync(each.list);
  else if ("append" in each) appendFileSync(each.append, "x");
  else if ("remove" in each) rmSync(each.remove);
  else if ("chmod" in each) chmodSync(each.chmod, each.mode);
  else if ("create" in each) open(each.create, "w", each.mode);
  else if ("run" in each) Bun.spawnSync([each.run]);
  else if ("signal" in each) process.kill(each.signal, 0);
  else if ("memoryOf" in each) readMemoryOf(each.memoryOf);
  else trySystemCall(each.call, each.with);
}

function outcome(each: Attempt): string {
  try {
    attempt(each);
    return "ok";
  } catch (error) {
    return Object(error).code ?? String(error);
  }
}

// The tests write it into the command line.
const attempts = JSON.parse(process.argv[2] ?? "[]") as Attempt[];
console.log(JSON.stringify(attempts.map(outcome)));
