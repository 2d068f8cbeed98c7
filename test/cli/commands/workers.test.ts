// `runtime workers`: from an address to its tools, as an administrator at a terminal and as a script.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Upstream } from "../../support/mcp-upstream";
import { jsonOf, newTerminal } from "../support/fake-io";

const ECHO = {
  name: "echo",
  description: "Says it again\nand again",
  inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
};
const BROKEN = { name: "broken", inputSchema: { type: "string" } };

let tools: object[] = [ECHO, BROKEN];
let upstream: Upstream;
beforeAll(() => {
  upstream = new Upstream({
    capabilities: { tools: {} },
    methods: {
      "tools/list": () => ({ tools }),
      "tools/call": ({ params }) => ({
        content: [{ type: "text", text: `Echo: ${Object(params["arguments"]).message}` }],
      }),
    },
  });
});
afterAll(() => upstream[Symbol.asyncDispose]());

const allowed = () => newTerminal({ RUNTIME_EGRESS_ALLOW: `127.0.0.1:${upstream.port}` });

async function added(more: string[] = []) {
  tools = [ECHO, BROKEN];
  const terminal = allowed();
  await terminal.run(["workers", "create", upstream.url, "--id", "peer", "--yes", ...more]);
  return terminal;
}

describe("workers create", () => {
  test("of a private address makes nothing and prints the setting that allows it", async () => {
    const { run } = newTerminal();
    const { code, stdout, stderr } = await run(["workers", "create", upstream.url, "--id", "peer", "--yes"]);

    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`RUNTIME_EGRESS_ALLOW=127.0.0.1:${upstream.port}`);
    expect(jsonOf(await run(["workers", "list", "-o", "json"]))).toEqual([]);
  });

  test("takes the defaults with --yes, and its tools run", async () => {
    const { run } = allowed();
    const created = await run(["workers", "create", upstream.url, "--id", "peer", "--yes", "-o", "json"]);

    expect(created.code).toBe(0);
    expect(jsonOf(created)).toMatchObject({
      id: "peer",
      type: "mcp",
      toolkit: "Peer",
      updates: "review",
      catalog: { tools: 1, new: 0 },
      skipped: [{ name: "broken", reason: expect.any(String) }],
    });
    expect(created.stderr).toContain("Left out: broken");
    const ran = await run(["tools", "exec", "Peer.echo", "--message", "hi", "--user", "alice"]);
    expect([ran.code, ran.stdout]).toEqual([0, "Echo: hi\n"]);
  });

  test("asks at a terminal, and makes nothing without a yes", async () => {
    const { run } = allowed();
    const refused = await run(["workers", "create", upstream.url], { answers: ["peer", false] });
    const listed = await run(["workers", "list", "-o", "name"]);
    const taken = await run(["workers", "create", upstream.url], { answers: ["peer", true] });

    expect([refused.code, listed.stdout, taken.code]).toEqual([1, "", 0]);
    expect(refused.io.prompted[1]).toBe("Create the worker peer with 1 tools?");
    expect(refused.stderr).toContain("echo  Says it again\n");
  });

  test("without a terminal needs --yes", async () => {
    const { code, stderr } = await allowed().run(["workers", "create", upstream.url]);

    expect(code).toBe(2);
    expect(stderr).toContain("--yes");
  });

  test("--dry-run only shows what it is", async () => {
    const { run } = allowed();
    const shown = await run(["workers", "create", upstream.url, "--dry-run", "-o", "json"]);

    expect(jsonOf(shown)).toMatchObject({
      type: "mcp",
      tools: [{ name: "echo" }],
      skipped: [{ name: "broken" }],
    });
    expect(jsonOf(await run(["workers", "list", "-o", "json"]))).toEqual([]);
  });

  test("takes secret headers from the environment, and no output shows them", async () => {
    const { run } = allowed();
    const argv = ["workers", "create", upstream.url, "--id", "peer", "--yes", "-o", "json"];
    const env = { PEER_KEY: "Bearer CANARY-1" };
    const created = await run([...argv, "--header-env", "Authorization=PEER_KEY"], { env });

    expect(created.code).toBe(0);
    expect(created.stdout + created.stderr).not.toContain("CANARY-1");
    expect(upstream.requests.at(-1)?.headers.get("authorization")).toBe("Bearer CANARY-1");
  });

  test("of a server that is not a worker says so", async () => {
    using other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("Hello") });
    const { run } = newTerminal({ RUNTIME_EGRESS_ALLOW: `127.0.0.1:${other.port}` });
    const { code, stderr } = await run(["workers", "create", `http://127.0.0.1:${other.port}/`, "--yes"]);

    expect(code).toBe(1);
    expect(stderr).toStartWith("error: ");
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("what the worker changes", () => {
  test("waits for a review, and is accepted by name", async () => {
    const { run } = await added();
    tools = [
      { ...ECHO, description: "Sends it elsewhere" },
      { ...ECHO, name: "extra" },
    ];
    await run(["workers", "refresh", "peer"]);

    const diff = jsonOf(await run(["workers", "diff", "peer", "-o", "json"]));
    expect(diff).toMatchObject([
      { name: "Peer.echo", change: "changed", fields: ["description"] },
      { name: "Peer.extra", change: "new" },
    ]);
    const before = await run(["tools", "list", "--toolkit", "Peer", "-o", "name"]);
    expect(before.stdout).toBe("Peer.echo\n");
    await run(["workers", "accept", "peer", "Peer.extra"]);
    const after = await run(["workers", "tools", "peer", "-o", "name"]);
    expect(after.stdout).toBe("Peer.echo\nPeer.extra\n");
    expect((await run(["workers", "diff", "peer", "-o", "name"])).stdout).toBe("Peer.echo\n");
    expect((await run(["workers", "show", "peer"])).stderr).toContain("runtime workers diff peer");
  });

  test("takes effect at once with --updates auto", async () => {
    const { run } = await added(["--updates", "auto"]);
    tools = [ECHO, { ...ECHO, name: "extra" }];
    await run(["workers", "refresh", "peer"]);

    expect((await run(["tools", "list", "--toolkit", "Peer", "-o", "name"])).stdout).toBe(
      "Peer.echo\nPeer.extra\n",
    );
  });
});

test("disable hides the tools, enable offers them again, delete removes them", async () => {
  const { run } = await added();
  const offered = async () => (await run(["tools", "show", "Peer.echo"])).code;

  await run(["workers", "disable", "peer"]);
  expect(await offered()).toBe(3);
  await run(["workers", "enable", "peer"]);
  expect(await offered()).toBe(0);
  expect((await run(["workers", "delete", "peer", "--yes"])).code).toBe(0);
  expect(await offered()).toBe(3);
});

test("health and test say whether a server answers", async () => {
  const { run } = await added();

  expect((await run(["workers", "health", "peer"])).code).toBe(0);
  expect((await run(["workers", "test", upstream.url])).code).toBe(0);
  expect((await run(["workers", "test", `http://127.0.0.1:${upstream.port}/`, "--type", "http"])).code).toBe(
    1,
  );
});

test("update changes the given fields only", async () => {
  const { run } = await added();
  const updated = jsonOf(await run(["workers", "update", "peer", "--call-timeout", "7", "-o", "json"]));

  expect(updated).toMatchObject({ mcp: { timeout: 7, retry: 2, uri: upstream.url }, catalog: { tools: 1 } });
  expect((await run(["workers", "update", "peer"])).code).toBe(2);
});
