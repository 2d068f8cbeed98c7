// An HTTP address for MCP servers that only speak on standard input and output: each session is a process of its own.
import { isObject } from "../../../src/base";
import { linesOf } from "../../support/child";

export interface BridgedProgram {
  command: string[];
  cwd: string;
  env: Record<string, string>;
}

export interface Bridge extends AsyncDisposable {
  readonly url: string;
}

type Listener = (line: string, isReply: boolean) => void;

class Program {
  readonly #child;
  /** Requests without a reply, by the JSON text of their ids. */
  readonly #waiting = new Map<string, Listener>();

  constructor({ command, cwd, env }: BridgedProgram) {
    this.#child = Bun.spawn(command, { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "ignore" });
    void this.#read();
  }

  write(line: string): void {
    this.#child.stdin.write(`${line}\n`);
    this.#child.stdin.flush();
  }

  /** Sends a request; `listener` gets everything that the program says before its reply, and the reply. */
  request(id: unknown, line: string, listener: Listener): void {
    this.#waiting.set(JSON.stringify(id), listener);
    this.write(line);
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }

  async #read(): Promise<void> {
    for await (const line of linesOf(this.#child.stdout)) {
      const message = messageIn(line);
      if (message === undefined) continue;
      const key = JSON.stringify(message["id"]);
      const isReply = message["method"] === undefined;
      const listener = isReply ? this.#waiting.get(key) : [...this.#waiting.values()].at(-1);
      if (isReply) this.#waiting.delete(key);
      listener?.(line, isReply);
    }
  }
}

function messageIn(line: string): { [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function startBridge(program: BridgedProgram): Bridge {
  const sessions = new Map<string, Program>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 120,
    development: false,
    fetch: async (request) => {
      const id = request.headers.get("mcp-session-id");
      if (request.method === "DELETE") {
        sessions.get(id ?? "")?.end();
        return new Response(null, { status: sessions.delete(id ?? "") ? 200 : 404 });
      }
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const text = await request.text();
      const message = messageIn(text) ?? {};
      if (message["method"] === "initialize") {
        const begun = crypto.randomUUID();
        sessions.set(begun, new Program(program));
        return passed(sessions.get(begun), message, text, { "mcp-session-id": begun });
      }
      if (id === null) return new Response("Bad Request: no session", { status: 400 });
      return passed(sessions.get(id), message, text, {});
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      for (const running of sessions.values()) running.end();
      await server.stop(true);
    },
  };
}

function passed(
  program: Program | undefined,
  { id, method }: { [key: string]: unknown },
  text: string,
  headers: Record<string, string>,
): Response {
  if (program === undefined) return new Response("Session not found", { status: 404 });
  if (id === undefined || typeof method !== "string") {
    program.write(text);
    return new Response(null, { status: 202 });
  }
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) =>
      program.request(id, text, (line, isReply) => {
        controller.enqueue(encoder.encode(`data: ${line}\n\n`));
        if (isReply) controller.close();
      }),
  });
  return new Response(body, { headers: { ...headers, "content-type": "text/event-stream" } });
}
