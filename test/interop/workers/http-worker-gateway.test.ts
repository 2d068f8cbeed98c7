// The tools of the worker in Python, called by the official MCP clients at a gateway. The clients check results against the
// output schemas that the gateway lists.
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { api } from "../../support/api";
import { testWith } from "../../support/require";
import { SECRET } from "../../workers/http/driver";
import { officialClients } from "../mcp/clients";
import { credentials, type GatewaySite, startGatewaySite } from "../mcp/gateway";
import { hasPythonWorker, type PythonWorker, runPythonWorker } from "./http-worker";

const present = hasPythonWorker();
const test = testWith("python3-fastapi, python3-uvicorn or python3-jwt (Debian)", present);

let made: GatewaySite;
let python: PythonWorker & AsyncDisposable;
let address: string;

beforeAll(async () => {
  if (!present) return;
  made = await startGatewaySite();
  python = await runPythonWorker();
  const admin = api(made.site.url, await made.site.key("admin"));
  const http = { uri: python.uri, secret: SECRET, timeout: 10, retry: 0 };
  expect((await admin.post("/v1/workers", { id: "peer", http })).status).toBe(201);
  address = await made.gateway("peer");
});

afterAll(async () => {
  await python?.[Symbol.asyncDispose]();
  await made?.[Symbol.asyncDispose]();
});

describe.each(officialClients.map((client) => [client.name, client] as const))(
  "client %s",
  (_name, client) => {
    test.each([
      ["Peer_Simple", { inp: "hello" }, "hello"],
      ["Peer_Sum", { a: 5, b: 3 }, "8"],
      ["Peer_Nothing", {}, ""],
      ["Peer_Maybe", { found: false }, ""],
    ])("gets the text of %s %j", async (name, input, text) => {
      await using session = await client.connect(address, { headers: credentials(made.key) });
      expect(await session.call(name, input)).toMatchObject({ isError: false, text });
    });

    test.each([
      ["Peer_Typed", {}, { status: "done", count: 3, note: null }],
      ["Peer_FilledIn", {}, { status: "done", count: null, note: null }],
      ["Peer_Maybe", { found: true }, { status: "done" }],
      ["Peer_Object", {}, expect.objectContaining({ id: "9007199254740993123" })],
    ])("gets the object of %s %j", async (name, input, structured) => {
      await using session = await client.connect(address, { headers: credentials(made.key) });
      // The clients know the output schemas only after they have listed the tools.
      expect((await session.tools()).map((tool) => tool.name)).toContain(name);
      expect(await session.call(name, input)).toMatchObject({ isError: false, structured });
    });

    test("gets an error that says what to do", async () => {
      await using session = await client.connect(address, { headers: credentials(made.key) });
      const outcome = await session.call("Peer_Retry");
      expect(outcome.isError).toBe(true);
      expect(outcome.text).toContain("no such city");
      expect(outcome.text).toContain("Cities are Oslo and Bergen.");
    });

    test("sees what tools say about their effects", async () => {
      await using session = await client.connect(address, { headers: credentials(made.key) });
      const tools = await session.tools();
      const hints = (name: string): unknown => tools.find((tool) => tool.name === name)?.annotations;
      expect(hints("Peer_Simple")).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      expect(hints("Peer_Sum")).toMatchObject({
        readOnlyHint: false,
        destructiveHint: true,
        openWorldHint: true,
      });
    });
  },
);
