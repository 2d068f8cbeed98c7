// A progress line while an operation takes long, on a terminal only.
import type { Io } from "./io";

const EVERY_MS = 1000;

/** Waits for `work` and shows the elapsed time every second. `what` may change meanwhile. */
export async function withProgress<T>(io: Io, what: string | (() => string), work: Promise<T>): Promise<T> {
  const { transient } = io;
  if (transient === undefined) return work;
  const started = Date.now();
  const timer = setInterval(
    () =>
      transient(
        `${typeof what === "string" ? what : what()} … ${Math.round((Date.now() - started) / 1000)} s`,
      ),
    EVERY_MS,
  );
  try {
    return await work;
  } finally {
    clearInterval(timer);
    transient("");
  }
}
