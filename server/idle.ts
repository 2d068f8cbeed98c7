// Garbage collection after a busy time. The engine collects only when memory grows, which it does not on a quiet server.

/** More than occasional health probes. */
const BUSY_REQUESTS = 1000;
const QUIET_MS = 1000;

/** The returned function counts a request. `stopping` ends the timer, which does not keep the process alive. */
export function collectWhenQuiet(
  stopping: AbortSignal,
  collect: () => void = () => void Bun.gc(true),
  quietMs = QUIET_MS,
): () => void {
  let requests = 0;
  let seen = 0;
  const timer = setInterval(() => {
    if (requests === seen && requests >= BUSY_REQUESTS) {
      requests = 0;
      collect();
    }
    seen = requests;
  }, quietMs);
  timer.unref();
  stopping.addEventListener("abort", () => clearInterval(timer));
  return () => {
    requests += 1;
  };
}
