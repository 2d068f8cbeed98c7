// Where Linux keeps the C library. Functions that the engine does not offer are called there.

/** The names of the library, to be tried in this order: a system has that of glibc or that of musl. */
export const C_LIBRARIES: readonly string[] = [
  "libc.so.6",
  `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`,
];
