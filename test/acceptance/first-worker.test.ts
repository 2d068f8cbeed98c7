// From an empty home folder to a result in an MCP client: the executable and the commands of examples/mcp-worker, as printed.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port";
import { temporaryFolder } from "../support/temporary";

const ROOT = join(import.meta.dir, "../..");
const EXAMPLE = join(ROOT, "examples/mcp-worker");
const PAGE = readFileSync(join(EXAMPLE, "README.md"), "utf8");
/** The commands under a heading. */
const commandsOf = (heading: string): string[] => {
  const [, section = ""] = PAGE.split(`\n## ${heading}\n`);
  const [own = ""] = section.split("\n## ");
  const [, block = ""] = /^```sh\n([^]*?)^```$/m.exec(own) ?? [];
  return block.trim().split("\n");
};
const FOUR = commandsOf("Four commands");
const SECOND_USER = commandsOf("A second user");

const home = mkdtempSync(join(tmpdir(), "runtime-first-worker-"));
const port = String(freePort());
let server: Bun.Subprocess;
const environment: Record<string, string> = {
  HOME: home,
  PATH: `${home}/bin:${process.env["PATH"] ?? ""}`,
  RUNTIME_PORT: String(freePort()),
};

beforeAll(async () => {
  const given = process.env["RUNTIME_TEST_EXECUTABLE"];
  const executable = given ?? join(home, "runtime");
  if (given === undefined) {
    const build = Bun.spawnSync([process.execPath, "build.ts", "--outfile", executable], { cwd: ROOT });
    if (!build.success) throw new Error(build.stderr.toString());
  }
  Bun.spawnSync(["mkdir", "-p", join(home, "bin")]);
  writeFileSync(join(home, "bin/runtime"), `#!/bin/sh\nexec '${executable}' "$@"\n`, { mode: 0o755 });
  server = Bun.spawn([process.execPath, join(EXAMPLE, "server.mjs"), port], { stderr: "inherit" });
  while (!(await answers(`http://127.0.0.1:${port}/mcp`))) await Bun.sleep(50);
}, 120_000);
afterAll(async () => {
  server.kill();
  await server.exited;
  rmSync(home, { recursive: true, force: true });
});

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );
const here = (command: string): string => command.replaceAll("3001", port);

/** Commands in one shell, as a person types them. */
async function typed(commands: readonly string[]): Promise<string> {
  const line = commands.map(here).join(" && ");
  const options = { env: environment, cwd: home, stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const;
  const child = Bun.spawn(["sh", "-c", line], { ...options, timeout: 60_000 });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([line, await child.exited, stderr]).toEqual([line, 0, expect.any(String)]);
  return stdout;
}

const textOf = (result: object): unknown => Object(result).content?.[0]?.text;

test("the server of the example has twenty lines without its imports", () => {
  const lines = readFileSync(join(EXAMPLE, "server.mjs"), "utf8").split("\n");
  const code = lines.filter((line) => line.trim() !== "" && !/^(import|\/\/)/.test(line));
  expect(code.length).toBeLessThanOrEqual(20);
});

describe("on an empty home folder", () => {
  test("four commands lead to a result in a client", async () => {
    expect(FOUR).toHaveLength(4);
    const [allow = "", create = "", gateway = "", start = ""] = FOUR;
    await typed([allow, create, gateway]);
    const transport = new StdioClientTransport({
      command: "sh",
      args: ["-c", `${here(allow)}; exec ${start}`],
      env: environment,
      stderr: "ignore",
    });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);

    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(["Notes_add", "Notes_list"]);
    const added = await client.callTool({ name: "Notes_add", arguments: { text: "Buy milk" } });
    expect(textOf(added)).toBe("You have 1.");
    expect(textOf(await client.callTool({ name: "Notes_list", arguments: {} }))).toBe("Buy milk");
    await client.close();
  }, 60_000);

  test("a second user does not see the notes of the first one", async () => {
    const [serve = "", createKey = ""] = SECOND_USER;
    expect(serve).toBe("runtime serve &");
    const [allow = ""] = FOUR;
    const options = {
      env: environment,
      cwd: home,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    } as const;
    const running = Bun.spawn(["sh", "-c", `${here(allow)}; exec ${serve.replace(" &", "")}`], options);
    try {
      const address = `http://127.0.0.1:${environment["RUNTIME_PORT"]}`;
      while (!(await answers(`${address}/v1/health`))) await Bun.sleep(50);
      // The beginning of the key is shown as well.
      const printed = (await typed([createKey])).match(/rt_\w+/g) ?? [];
      const key = printed.toSorted((one, other) => other.length - one.length)[0] ?? "";
      const connected = async (user: string): Promise<Client> => {
        const headers = { authorization: `Bearer ${key}`, "x-user-id": user };
        const client = new Client({ name: "test", version: "1" });
        const url = new URL(`${address}/mcp/notes`);
        // The SDK's own class does not fit its interface with exact optional properties.
        await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as never);
        return client;
      };
      const [alice, bob] = [await connected("alice"), await connected("bob")];
      await alice.callTool({ name: "Notes_add", arguments: { text: "Only for me" } });
      const list = { name: "Notes_list", arguments: {} };

      expect(textOf(await bob.callTool(list))).toBe("No notes.");
      expect(textOf(await alice.callTool(list))).toBe("Only for me");
      await Promise.all([alice.close(), bob.close()]);
    } finally {
      running.kill();
      await running.exited;
    }
  }, 60_000);
});

test("without the first command, nothing is made, and the error has the setting to write", async () => {
  const [allow = "", create = ""] = FOUR;
  const options = { env: { ...environment, HOME: temporaryFolder() }, stdin: "ignore" } as const;
  const refused = Bun.spawn(["sh", "-c", here(create)], { ...options, stdout: "pipe", stderr: "pipe" });
  expect(await refused.stderr.text()).toContain(here(allow).replace("export ", ""));
  expect(await refused.exited).toBe(1);
}, 30_000);
