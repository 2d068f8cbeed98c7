// `runtime sandbox` on a machine with nothing but the executable: from its start to a message that was sent and read.
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildExecutable } from "./support/built";
import { testInEmptyRoot as test, startEmptyRoot } from "./support/empty-root";

const folder = mkdtempSync(join(tmpdir(), "runtime-empty-"));
let executable = "";

beforeAll(() => {
  executable = buildExecutable(folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

/** The user who tries it: without a name, a home folder of its own, and a place for temporary files. */
const USER = 991;

test("a message is sent and read with three commands", async () => {
  await using machine = await startEmptyRoot({ librariesFrom: executable, executable });
  await machine.shell(`mkdir -p /home/new && chown ${USER}:${USER} /home/new`);
  const environment = { HOME: "/home/new" };
  const shell = (line: string) => machine.shell(line, environment, USER);
  const sandbox = Bun.spawn(machine.inside(["/bin/sh", "-c", "exec runtime sandbox"], USER), {
    env: { PATH: "/bin", ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const printed = await lines(sandbox.stdout, "read it");
  // The commands that it prints, as a person pastes them.
  const [send = "", read = ""] = printed
    .filter((line) => line.includes("tools exec"))
    .map((line) => line.trim());

  const sent = await shell(send);
  const got = await shell(read);

  expect([sent.code, sent.stderr]).toEqual([0, ""]);
  expect(got.code).toBe(0);
  expect(got.stdout).toContain("Hello from the sandbox");
  expect(machine.contents().filter((path) => path.startsWith("tmp"))).toEqual([]);
}, 60_000);

/** What a stream prints until the line after one with a text. */
async function lines(stream: ReadableStream<Uint8Array>, text: string): Promise<string[]> {
  const decoder = new TextDecoder();
  let printed = "";
  for await (const bytes of stream) {
    printed += decoder.decode(bytes, { stream: true });
    const rest = printed.split(text)[1];
    if (rest !== undefined && rest.trim().includes("\n")) break;
  }
  return printed.split("\n");
}
