// A process that is stopped while its request is under way, for longer than the time limit. The response has arrived when it
// goes on: it must not be lost, for it may contain tokens that exist nowhere else.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { startChild } from "../support/child";

const TIMEOUT_MS = 500;
/** More than the socket of a stopped process takes. */
const LARGE = "x".repeat(900_000);

/** Sends a request from a process that is stopped before the response. Returns what it printed. */
async function stopped(text: string): Promise<string | undefined> {
  let pid = 0;
  const answered = Promise.withResolvers<void>();
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: () => {
      process.kill(pid, "SIGSTOP");
      setTimeout(answered.resolve);
      return new Response(text);
    },
  });
  const sender = join(import.meta.dir, "stopped-sender.ts");
  const child = startChild(sender, `http://127.0.0.1:${server.port}/`, String(TIMEOUT_MS));
  pid = Number((await child.line())?.split(" ")[1]);
  child.go();
  await answered.promise;
  await Bun.sleep(2 * TIMEOUT_MS);
  process.kill(pid, "SIGCONT");
  return child.line();
}

test("a response that has arrived meanwhile is read", async () => {
  for (let repeat = 0; repeat < 3; repeat++) expect(await stopped("tokens")).toBe("tokens");
});

test("a large response is read to its end", async () => {
  expect(await stopped(LARGE)).toBe(LARGE);
});
