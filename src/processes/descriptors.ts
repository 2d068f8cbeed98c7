// Pipes, and passing open files to another process over a Unix socket (SCM_RIGHTS in unix(7)). The output of a program
// reaches the server without a process in between, and secrets go from the server to the program's launcher directly.
import { closeSync, writeSync } from "node:fs";
import { errno, libc, ptr, text } from "./libc";

const O_CLOEXEC = 0o2000000;
const O_NONBLOCK = 0o4000;
const O_WRONLY = 1;
const F_SETFL = 4;
const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MFD_CLOEXEC = 1;
const MSG_DONTWAIT = 0x40;
const MSG_CMSG_CLOEXEC = 0x4000_0000;
/** `struct cmsghdr` on 64-bit systems: length (8), level (4), type (4). */
const HEADER = 16;

/** Bytes of the name that travels with the descriptors. */
const NAME_BYTES = 32;

interface Pipe {
  readonly read: number;
  readonly write: number;
}

function pair(what: string, create: (numbers: Int32Array) => number): [number, number] {
  const numbers = new Int32Array(2);
  if (create(numbers) !== 0) throw new Error(`${what} could not be opened (error ${errno()})`);
  return [numbers[0] ?? -1, numbers[1] ?? -1];
}

export function openPipe(): Pipe {
  const [read, write] = pair("a pipe", (numbers) => libc().pipe2(ptr(numbers), O_CLOEXEC));
  return { read, write };
}

/** Makes writes to this end of a pipe return at once. The other end is not affected. */
export function withoutBlocking(descriptor: number): void {
  libc().fcntl(descriptor, F_SETFL, O_NONBLOCK | O_WRONLY);
}

export function socketPair(): [number, number] {
  return pair("a socket", (numbers) => libc().socketpair(AF_UNIX, SOCK_STREAM | O_CLOEXEC, 0, ptr(numbers)));
}

/** An open file that exists only in memory. */
export function memoryFile(content: string): number {
  const name = text("start");
  const descriptor = libc().memfd_create(ptr(name), MFD_CLOEXEC);
  if (descriptor < 0) throw new Error(`a file in memory could not be created (error ${errno()})`);
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
  return descriptor;
}

export function closeAll(descriptors: readonly number[]): void {
  for (const descriptor of descriptors) closeSync(descriptor);
}

/** `name` has at most 32 characters of ASCII. */
export function sendDescriptors(socket: number, name: string, descriptors: readonly number[]): void {
  const control = new DataView(new ArrayBuffer(HEADER + padded(4 * descriptors.length)));
  control.setBigUint64(0, BigInt(HEADER + 4 * descriptors.length), true);
  control.setInt32(8, SOL_SOCKET, true);
  control.setInt32(12, SCM_RIGHTS, true);
  descriptors.forEach((descriptor, index) => control.setInt32(HEADER + 4 * index, descriptor, true));
  const message = messageOf(Buffer.from(name.padEnd(NAME_BYTES)), new Uint8Array(control.buffer));
  if (Number(libc().sendmsg(socket, ptr(message.header), MSG_DONTWAIT)) !== NAME_BYTES) {
    throw new Error(`open files could not be passed on (error ${errno()})`);
  }
}

/** What was sent with one `sendDescriptors`. Does not wait. */
export function receiveDescriptors(socket: number, count: number): { name: string; descriptors: number[] } {
  const data = Buffer.alloc(NAME_BYTES);
  const bytes = new Uint8Array(HEADER + padded(4 * count));
  const message = messageOf(data, bytes);
  const received = Number(libc().recvmsg(socket, ptr(message.header), MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
  if (received !== NAME_BYTES) throw new Error(`open files could not be received (error ${errno()})`);
  const control = new DataView(bytes.buffer);
  const passed = (Number(control.getBigUint64(0, true)) - HEADER) / 4;
  const descriptors = Array.from({ length: passed }, (_, index) =>
    control.getInt32(HEADER + 4 * index, true),
  );
  return { name: data.toString("latin1").trimEnd(), descriptors };
}

function padded(size: number): number {
  return Math.ceil(size / 8) * 8;
}

// `struct msghdr`: address, its length, list of pieces, number of pieces, control data, its length, flags.
function messageOf(data: Uint8Array, control: Uint8Array) {
  const pieces = new BigUint64Array([BigInt(ptr(data)), BigInt(data.length)]);
  const header = new BigUint64Array([
    0n,
    0n,
    BigInt(ptr(pieces)),
    1n,
    BigInt(ptr(control)),
    BigInt(control.length),
    0n,
  ]);
  // Everything that the header points to stays in memory as long as the header.
  return { header, pieces, data, control };
}
