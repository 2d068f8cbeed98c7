// The socket of a service manager: datagrams over a Unix socket, which the engine does not offer.
import { dlopen, ptr, read } from "bun:ffi";
import { C_LIBRARIES } from "../base";

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const CLOCK_MONOTONIC = 1;
const EAGAIN = 11;
const ENOBUFS = 105;
/** `sun_path` in unix(7). */
const LONGEST_PATH = 108;

const FUNCTIONS = {
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  sendto: { args: ["i32", "ptr", "u64", "i32", "ptr", "u32"], returns: "i64" },
  close: { args: ["i32"], returns: "i32" },
  clock_gettime: { args: ["i32", "ptr"], returns: "i32" },
  __errno_location: { args: [], returns: "ptr" },
} as const;

export interface DatagramSocket {
  /** False if the receiver has no room at the moment. Throws an error with the number of the system for anything else. */
  send(message: string): boolean;
  /** CLOCK_MONOTONIC in microseconds. */
  monotonicMicroseconds(): bigint;
  close(): void;
}

/** `path`: an absolute path, or `@` and an abstract name. Throws if there cannot be a socket for it. */
export function openDatagramSocket(path: string): DatagramSocket {
  const address = addressOf(path);
  const library = open();
  const errno = (): number => {
    const place = library.__errno_location();
    return place === null ? 0 : read.i32(place, 0);
  };
  const descriptor = library.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw new Error(`a socket could not be opened (error ${errno()})`);
  return {
    send: (message) => {
      const bytes = Buffer.from(message);
      const sent = library.sendto(
        descriptor,
        ptr(bytes),
        BigInt(bytes.length),
        MSG_DONTWAIT | MSG_NOSIGNAL,
        ptr(address),
        address.length,
      );
      if (Number(sent) === bytes.length) return true;
      const error = errno();
      if (error === EAGAIN || error === ENOBUFS) return false;
      throw new Error(`${path} could not be written to (error ${error})`);
    },
    monotonicMicroseconds: () => {
      // `struct timespec` on 64-bit systems: seconds, nanoseconds.
      const time = new BigInt64Array(2);
      library.clock_gettime(CLOCK_MONOTONIC, ptr(time));
      const [seconds = 0n, nanoseconds = 0n] = time;
      return seconds * 1_000_000n + nanoseconds / 1000n;
    },
    close: () => void library.close(descriptor),
  };
}

// `struct sockaddr_un`. An abstract name begins with a zero byte and has no zero byte at its end.
function addressOf(path: string): Buffer {
  const isAbstract = path.startsWith("@");
  const name = Buffer.from(isAbstract ? `\0${path.slice(1)}` : `${path}\0`);
  if (!isAbstract && !path.startsWith("/")) throw new Error(`${path} is not an absolute path`);
  if (name.length > LONGEST_PATH || name.length < 2) throw new Error(`${path} is too long or too short`);
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX);
  return Buffer.concat([family, name]);
}

function open() {
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
