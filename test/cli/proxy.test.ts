// Requests of commands use the environment's proxy, except those to loopback, which a proxy would resolve to itself.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/temporary";

const COMMAND = [process.execPath, join(import.meta.dir, "..", "..", "cli", "main.ts")];

test.each([
  ["127.0.0.1.example.com", true],
  ["127.1.example.com", true],
  ["localhost.example.com", true],
  ["127.0.0.1", false],
  ["localhost", false],
])("a server at %s is reached through the proxy: %p", async (host, through) => {
  const seen: string[] = [];
  using proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      seen.push(new URL(request.url).hostname);
      return Response.json({ items: [], total_count: 0, offset: 0, limit: 0, page_count: 0 });
    },
  });
  // No server listens on this port.
  const address = `http://${host}:9`;
  const child = Bun.spawn([...COMMAND, "secrets", "list", "--server", address, "--timeout", "5"], {
    env: {
      HOME: temporaryFolder(),
      PATH: process.env["PATH"] ?? "",
      HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
      RUNTIME_API_KEY: "rt_for_nobody",
    },
    stdout: "ignore",
    stderr: "pipe",
  });

  const code = await child.exited;

  expect({ seen: seen.length > 0, code: code === 0 }, await new Response(child.stderr).text()).toEqual({
    seen: through,
    code: through,
  });
});
