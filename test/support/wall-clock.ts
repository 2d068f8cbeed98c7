// The wall clock of real processes, which a test sets while they run (Debian's faketime). Their monotonic clock is not changed.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./temporary";
import { testWith } from "./require";

const MULTIARCH: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" };
const LIBRARY = `/usr/lib/${MULTIARCH[process.arch]}-linux-gnu/faketime/libfaketimeMT.so.1`;

/** For tests that set the clock of processes. */
export const testWithClock = testWith("faketime", existsSync(LIBRARY));

export class WallClock {
  readonly #file = join(temporaryFolder(), "clock");
  /** For the processes that have this clock. */
  readonly environment: Readonly<Record<string, string>> = {
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: this.#file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };

  constructor() {
    this.set(0);
  }

  /** Sets how far the clock is ahead of the real one, s. */
  set(seconds: number): void {
    writeFileSync(this.#file, `${seconds < 0 ? "" : "+"}${seconds}`);
  }
}
