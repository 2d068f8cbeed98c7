// Server processes on one data folder, with a shared movable clock.
import { join } from "node:path";

const SCRIPT = join(import.meta.dir, "..", "support", "scheduled-server.ts");

interface Running {
  address: string;
  /** Sets how far its clock is ahead. */
  move(ahead: number): Promise<void>;
  kill(): Promise<void>;
}

export class Servers implements AsyncDisposable {
  readonly #environment: Record<string, string>;
  readonly #running: Running[] = [];
  #ahead = 0;

  constructor(environment: Record<string, string>) {
    this.#environment = environment;
  }

  /** Starts another server and returns its address. */
  async start(): Promise<string> {
    const child = Bun.spawn([process.execPath, SCRIPT, String(this.#ahead)], {
      env: { ...this.#environment, PATH: process.env["PATH"] },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    const lines = linesOf(child.stdout);
    const { value: address } = await lines.next();
    if (address === undefined) throw new Error("the server ended before it was ready");
    this.#running.push({
      address,
      move: async (ahead) => {
        child.stdin.write(`${ahead}\n`);
        await child.stdin.flush();
        await lines.next();
      },
      kill: async () => {
        child.kill("SIGKILL");
        await child.exited;
      },
    });
    return address;
  }

  /** Moves the clocks one after the other, so they differ for a moment. */
  async move(ahead: number): Promise<void> {
    this.#ahead = ahead;
    for (const server of this.#running) await server.move(ahead);
  }

  /** Kills one server with SIGKILL and starts another. `chance`: below 1. */
  async replace(chance: number): Promise<void> {
    const [victim] = this.#running.splice(Math.floor(chance * this.#running.length), 1);
    await victim?.kill();
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map((server) => server.kill()));
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}
