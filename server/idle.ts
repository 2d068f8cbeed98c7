// Memory after a busy time. The engine leaves what nobody needs until there is more of it, which on a server that has
// become quiet is never: it is collected once when nobody waits.

/** So that a probe now and then is no busy time. */
const BUSY_REQUESTS = 1000;
const QUIET_MS = 1000;

/** To be called with every request. `stopping` ends it; alone it keeps no process alive. */
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
