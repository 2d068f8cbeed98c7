// Attempts in an order of preference. One that hangs must not delay the others for as long as it hangs.

interface Closable {
  close(): Promise<void>;
}

/**
 * The result of the first attempt that succeeds; undefined if all fail. Each starts when one before it has failed, or when
 * the last one that started has taken `patienceMs`. `failed` is told of each failure, and may throw to end it all. Results
 * that come too late are closed.
 */
export function staggered<T extends Closable>(
  attempts: readonly (() => Promise<T>)[],
  patienceMs: number,
  failed: (error: unknown, index: number) => void,
): Promise<T | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  let [next, running, isDone] = [0, 0, false];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (settle: () => void): void => {
    isDone = true;
    clearTimeout(timer);
    settle();
  };
  const run = async (attempt: () => Promise<T>, index: number): Promise<void> => {
    try {
      const result = await attempt();
      if (isDone) return await result.close();
      end(() => resolve(result));
    } catch (error) {
      running--;
      if (isDone) return;
      try {
        failed(error, index);
      } catch (refusal) {
        return end(() => reject(refusal));
      }
      start();
    }
  };
  const start = (): void => {
    clearTimeout(timer);
    const attempt = attempts[next];
    if (attempt === undefined) {
      if (running === 0) end(() => resolve(undefined));
      return;
    }
    running++;
    void run(attempt, next++);
    timer = setTimeout(() => {
      if (next < attempts.length) start();
    }, patienceMs);
  };
  start();
  return promise;
}
