// Workers that answer wrongly, too much, or not at all: each is an error by name, and gets nothing more than before.
import { describe, expect, test } from "bun:test";
import type { WorkerFailure } from "../../../src/workers/tool";
import { drive, READ_ONLY, toolOf, workerAt } from "./driver";
import { answered, definition, rawStandIn, standIn } from "./stand-in";

const METADATA_ADDRESS = "http://169.254.169.254/latest/meta-data/";
const MEGABYTE = 1024 * 1024;

/** A body without an end, and how much of it was read. */
function endless(): { response: Response; sent: () => number } {
  const chunk = new Uint8Array(MEGABYTE).fill(0x20);
  let sent = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      sent += chunk.length;
      if (sent > 1024 * MEGABYTE) controller.close();
      else controller.enqueue(chunk);
    },
  });
  return { response: new Response(body), sent: () => sent };
}

const cut = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n[{";

async function failureOf(uri: string, fields = {}, driver = drive()): Promise<WorkerFailure> {
  const thrown: unknown = await driver.kind.read(workerAt(uri, fields), {}).catch((error: unknown) => error);
  // The test that asks for it compares its fields.
  return thrown as WorkerFailure;
}

describe("the catalog of a worker that", () => {
  test("never answers", async () => {
    const { uri } = standIn(() => new Promise<Response>(() => undefined));
    expect((await failureOf(uri, { timeoutMs: 100 })).reason).toBe("timeout");
  });

  test("sends 1 GB", async () => {
    const { response, sent } = endless();
    const { uri } = standIn(() => response);
    expect((await failureOf(uri)).reason).toBe("too_large");
    expect(sent()).toBeLessThan(100 * MEGABYTE);
  });

  test("lists 10,000 tools", async () => {
    const tools = Array.from({ length: 10_000 }, (_, index) => definition({ name: `Tool${index}` }));
    const { uri } = standIn(() => Response.json(tools));
    expect(await failureOf(uri)).toMatchObject({
      reason: "too_large",
      message: expect.stringContaining("5000"),
    });
  });

  test.each([
    ["text", "hello"],
    ["half of a list", '[{"name": "A"'],
    ["two lists", "[] []"],
    ["an object", '{"tools": []}'],
    ["nothing", ""],
    ["a page", "<!doctype html><title>Sign in</title>"],
  ])("sends %s", async (_, text) => {
    const { uri } = standIn(() => new Response(text));
    expect((await failureOf(uri)).reason).toBe("protocol");
  });

  test("leads to another address", async () => {
    const other = standIn(() => Response.json([]));
    for (const location of [METADATA_ADDRESS, `${other.uri}/worker/tools`]) {
      const { uri } = standIn(() => Response.redirect(location, 307));
      expect((await failureOf(uri)).reason).toBe("refused");
    }
    expect(other.arrived).toEqual([]);
  });

  test("is at an address that is not allowed", async () => {
    const failure = await failureOf("http://127.0.0.1:8002", {}, drive({ allow: [] }));
    expect(failure.reason).toBe("address_refused");
    expect(failure.message).toContain("egress.allow");
  });

  test("closes in the middle", async () => {
    expect((await failureOf(rawStandIn(cut).uri)).reason).toBe("unreachable");
  });

  test("does not run", async () => {
    expect((await failureOf("http://127.0.0.1:1")).reason).toBe("unreachable");
  });

  test.each([
    [404, "refused"],
    [422, "refused"],
    [500, "refused"],
    [403, "refused"],
  ] as const)("answers %d", async (status, reason) => {
    const { uri } = standIn(() => new Response("Internal Server Error", { status }));
    expect((await failureOf(uri)).reason).toBe(reason);
  });

  test("nests a type 3,000 levels deep loses that tool only", async () => {
    const deep = `${'{"val_type":"json","properties":{"a":'.repeat(3000)}null${"}}".repeat(3000)}`;
    const bad = JSON.stringify(
      definition({ name: "Deep", input: { parameters: [{ name: "a", value_schema: "X" }] } }),
    ).replace('"X"', deep);
    const { uri } = standIn(() => new Response(`[${bad},${JSON.stringify(definition())}]`));

    const { tools, skipped } = await drive().kind.read(workerAt(uri), {});

    expect(tools.map(({ name }) => name)).toEqual(["Act"]);
    expect(skipped).toEqual([{ name: "Peer.Deep", reason: expect.stringContaining("1,000 levels") }]);
  });
});

describe("a call to a worker that", () => {
  test("never answers ends, and may have run", async () => {
    const { uri } = standIn(() => new Promise<Response>(() => undefined));
    const { error } = await drive().call(workerAt(uri, { timeoutMs: 100 }), toolOf());
    expect(error?.kind).toBe("NETWORK_TRANSPORT_RUNTIME_TIMEOUT");
    expect(error?.details.extra).toEqual({ outcome: "unknown" });
  });

  test("sends 1 GB ends at the limit of answers", async () => {
    const { response, sent } = endless();
    const { uri } = standIn(() => response);
    const { error } = await drive().call(workerAt(uri), toolOf({ metadata: READ_ONLY }));
    expect(error?.kind).toBe("UPSTREAM_RUNTIME_SERVER_ERROR");
    expect(error?.canRetry).toBe(false);
    expect(sent()).toBeLessThan(100 * MEGABYTE);
  });

  test("closes in the middle may have run", async () => {
    const { error } = await drive().call(workerAt(rawStandIn(cut).uri), toolOf());
    expect(error?.kind).toBe("NETWORK_TRANSPORT_RUNTIME_UNREACHABLE");
    expect(error?.details.extra).toEqual({ outcome: "unknown" });
  });

  test("leads to another address gets no token there, nor at another path", async () => {
    const other = standIn(() => Response.json({}));
    for (const location of [METADATA_ADDRESS, `${other.uri}/worker/tools/invoke`, "/another/path"]) {
      const first = standIn(() => new Response("", { status: 307, headers: { location } }));
      const tool = toolOf({ authorization: { provider: "known", scopes: ["read"] } });

      const { error } = await drive().call(workerAt(first.uri), tool, { token: "token-of-alice" });

      expect(error?.message).toContain("redirect");
      expect(first.arrived.map(({ path }) => path)).toEqual(["/worker/tools/invoke"]);
    }
    expect(other.arrived).toEqual([]);
  });

  test.each([
    ["text", "hello"],
    ["a list", "[]"],
    ["an object of another form", '{"result": 1}'],
    ["half an answer", '{"success": true, "output": {"value": "x"'],
    [
      "an answer of 3,000 levels",
      `{"success":true,"output":{"value":${"[".repeat(3000)}${"]".repeat(3000)}}}`,
    ],
  ])("answers with %s may have run", async (_, text) => {
    const { uri } = standIn(() => new Response(text));
    const { error } = await drive().call(workerAt(uri), toolOf());
    expect(error?.kind).toBe("UPSTREAM_RUNTIME_SERVER_ERROR");
    expect(error?.details.extra).toEqual({ outcome: "unknown" });
  });

  test("answers another call is not believed", async () => {
    const { uri } = standIn((arrived) =>
      answered(arrived, { value: "of another user" }, { execution_id: "tc_2" }),
    );
    const { error, value } = await drive().call(workerAt(uri), toolOf());
    expect(value).toBeUndefined();
    expect(error?.kind).toBe("UPSTREAM_RUNTIME_SERVER_ERROR");
    expect(error?.message).toContain("another call");
  });

  test("leaves the id of the call empty is believed, as older ones do", async () => {
    const { uri } = standIn((arrived) => answered(arrived, { value: 1 }, { execution_id: "" }));
    expect((await drive().call(workerAt(uri), toolOf())).value).toBe(1);
  });

  test.each([
    [500, "UPSTREAM_RUNTIME_SERVER_ERROR", "unknown"],
    [503, "UPSTREAM_RUNTIME_SERVER_ERROR", "unknown"],
    [404, "TOOL_RUNTIME_FATAL", undefined],
    [422, "TOOL_RUNTIME_FATAL", undefined],
    [403, "TOOL_RUNTIME_FATAL", undefined],
    [429, "UPSTREAM_RUNTIME_RATE_LIMIT", undefined],
  ] as const)("answers %d", async (status, kind, outcome) => {
    const { uri } = standIn(() => new Response("Internal Server Error", { status }));
    const { error } = await drive().call(workerAt(uri), toolOf());
    expect(error?.kind).toBe(kind);
    expect(error?.details.extra?.["outcome"]).toBe(outcome);
  });

  test("is at an address that is not allowed names the setting", async () => {
    const { error } = await drive({ allow: [] }).call(workerAt("http://127.0.0.1:8002"), toolOf());
    expect(error?.kind).toBe("TOOL_RUNTIME_FATAL");
    expect(error?.message).toContain("egress.allow");
  });
});
