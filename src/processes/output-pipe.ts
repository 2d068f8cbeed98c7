// Standard output of a program. What is not read stays in the pipe, and the program waits.
import { closeSync } from "node:fs";

export interface OutputPipe {
  stream: ReadableStream<Uint8Array>;
  /** Gives up what has not been read. */
  close(): Promise<void>;
}

export function outputPipe(descriptor: number): OutputPipe {
  const reader = Bun.file(descriptor).stream().getReader();
  let open = true;
  const release = (): void => {
    if (!open) return;
    open = false;
    closeSync(descriptor);
  };
  const close = async (): Promise<void> => {
    if (!open) return;
    await reader.cancel();
    release();
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (value !== undefined) controller.enqueue(value);
        if (!done) return;
        release();
        controller.close();
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
  return { stream, close };
}
