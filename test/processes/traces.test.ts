// Traces of real processes: of a command line on the data folder, and of a server that is stopped or killed.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { Installation } from "../support/runtime-process";
import { type Receiver, startReceiver } from "../telemetry/traces/receiver";

let receiver: Receiver;
let installation: Installation;
beforeAll(() => {
  receiver = startReceiver();
  installation = new Installation(undefined);
  installation.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.url;
});
afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  receiver[Symbol.dispose]();
});
beforeEach(() => {
  receiver.spans.length = 0;
});

const RUN = ["tools", "exec", "Chat.WhoAmI", "--user", "alice", "--no-browser"];

test("a command that runs a tool has sent its trace when it ends", async () => {
  await installation.run(RUN);
  const span = receiver.one("execute_tool Chat.WhoAmI");
  expect([span.parentSpanId, span.attributes["runtime.entry_point"]]).toEqual([undefined, "cli"]);
});

test("a command ends in the same way without a collector", async () => {
  const { code } = await installation.run(RUN);
  installation.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:1";
  const without = await installation.run(RUN);
  installation.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.url;
  expect(without.code).toBe(code);
  expect(without.stderr.match(/traces not exported/g)).toHaveLength(1);
});

test("a command without a span asks the collector for nothing", async () => {
  const before = receiver.requests.length;
  await installation.run(["projects", "list"]);
  expect(receiver.requests).toHaveLength(before);
});

test("a server that is stopped has sent what was waiting, and one that is killed starts again", async () => {
  await using server = await installation.serve();
  await fetch(`${server.address}/v1/health`);
  process.kill(server.pid, "SIGTERM");
  await server.exited;
  expect(receiver.one("GET /v1/health").attributes["http.response.status_code"]).toBe(200);

  receiver.spans.length = 0;
  const killed = await installation.serve();
  await fetch(`${killed.address}/v1/health`);
  await killed.kill();
  expect(receiver.spans).toEqual([]);
  await using again = await installation.serve();
  expect((await fetch(`${again.address}/v1/health`)).status).toBe(200);
});
