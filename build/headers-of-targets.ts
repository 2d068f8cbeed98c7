// What the executable of each target must say about itself: a release with another one is not made.
import { type Headers, headersOf } from "./headers";
import type { Target } from "./targets";

const GLIBC = ["libc.so.6", "libpthread.so.0", "libdl.so.2", "libm.so.6"];
const MACOS = [
  "/usr/lib/libicucore.A.dylib",
  "/usr/lib/libresolv.9.dylib",
  "/usr/lib/libc++.1.dylib",
  "/usr/lib/libSystem.B.dylib",
];

/** By name of the target. The libraries are all that a system must have. */
const EXPECTED: Readonly<Record<string, Headers>> = {
  "linux-x64": glibc("x64", "/lib64/ld-linux-x86-64.so.2"),
  "linux-arm64": glibc("arm64", "/lib/ld-linux-aarch64.so.1"),
  "linux-x64-musl": musl("x64", "x86_64"),
  "linux-arm64-musl": musl("arm64", "aarch64"),
  "darwin-arm64": { format: "Mach-O 64", arch: "arm64", libraries: MACOS, macos: "13.0" },
  "darwin-x64": { format: "Mach-O 64", arch: "x64", libraries: MACOS, macos: "13.0" },
};

/** @throws Error if the executable is for another system, or needs more of it. */
export function checkHeaders(target: Target, executable: string): Headers {
  const found = headersOf(executable);
  const expected = EXPECTED[target.name];
  if (expected === undefined || !Bun.deepEquals(normal(found), normal(expected)))
    throw new Error(
      `The executable for ${target.name} has other headers than expected: ${JSON.stringify(found)}.`,
    );
  return found;
}

function normal(headers: Headers): Headers {
  return { ...headers, libraries: headers.libraries.toSorted() };
}

function glibc(arch: Headers["arch"], interpreter: string): Headers {
  const loader = interpreter.slice(interpreter.lastIndexOf("/") + 1);
  return { format: "ELF64", arch, interpreter, libraries: [...GLIBC, loader], glibc: "2.17" };
}

function musl(arch: Headers["arch"], machine: string): Headers {
  const libraries = ["libstdc++.so.6", `libc.musl-${machine}.so.1`];
  return { format: "ELF64", arch, interpreter: `/lib/ld-musl-${machine}.so.1`, libraries };
}
