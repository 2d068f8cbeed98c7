// Tells the service manager that the service works. A message is sent only when the event loop has turned and the database
// has answered, so that a process that hangs is restarted.
import { isUnavailable } from "../errors";
import { all, query, type Store, type Transaction } from "../store";

const READ = query("SELECT name FROM facts LIMIT 1");
/**
 * A write may wait this long: longer than for the lock of another process, after which it fails with an answer. A restart
 * would not free the lock.
 */
const STUCK_AFTER_MS = 45_000;

export interface WatchdogOptions {
  store: Pick<Store, "all" | "write">;
  /** Within this time the service manager expects a message. */
  intervalMs: number;
  /** Called twice in each interval, as long as the database answers. */
  alive(): void;
  stuckAfterMs?: number;
}

/** Returns a function that ends it. */
export function watchOver(options: WatchdogOptions): () => void {
  const { store, intervalMs, alive, stuckAfterMs = STUCK_AFTER_MS } = options;
  let reading = false;
  let writingSince: number | undefined;
  // Changes nothing, but waits for its turn as every write does. A refused write, as on a full disk, is an answer: a restart
  // would not make room.
  const write = (): void => {
    writingSince = performance.now();
    const answered = (): void => void (writingSince = undefined);
    store.write(look).then(answered, answered);
  };
  // A failed read is not an answer: the files may have to be opened again. One that says that the database is away is: it may
  // be that of another machine.
  const read = async (): Promise<void> => {
    reading = true;
    try {
      await store.all(READ);
    } finally {
      reading = false;
    }
  };
  const beat = (): void => {
    if (writingSince === undefined) write();
    else if (performance.now() - writingSince > stuckAfterMs) return;
    if (!reading)
      read().then(alive, (error: unknown) => {
        if (isUnavailable(error)) alive();
      });
  };
  beat();
  const timer = setInterval(beat, intervalMs / 2);
  return () => clearInterval(timer);
}

function* look(): Transaction<void> {
  yield* all(READ);
}
