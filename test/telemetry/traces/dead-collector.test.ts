// A collector that does not work costs nothing but a counter and one line in the log.
import { afterEach, expect, test } from "bun:test";
import { execute } from "../../hooks/hooked";
import { rawPeer, type RawPeer } from "../../egress/peers";
import { startTraced } from "./traced";

let peer: RawPeer | undefined;
afterEach(() => peer?.[Symbol.dispose]());

const COLLECTORS: [string, Parameters<typeof rawPeer>[0]][] = [
  ["closes each connection", (socket) => socket.destroy()],
  ["never answers", () => undefined],
  ["answers with garbage", (socket) => socket.end("garbage\r\n\r\n")],
  ["answers 400", (socket) => socket.end("HTTP/1.1 400 Bad\r\ncontent-length: 0\r\n\r\n")],
  [
    "answers 401 with a challenge",
    (socket) => socket.end("HTTP/1.1 401 No\r\nwww-authenticate: Basic\r\ncontent-length: 0\r\n\r\n"),
  ],
  [
    "redirects",
    (socket) => socket.end("HTTP/1.1 308 Go\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"),
  ],
  [
    "announces a gigabyte",
    (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\nx"),
  ],
];

test.each(COLLECTORS)("requests succeed, and the server stops, with one that %s", async (_name, answer) => {
  const asked = Promise.withResolvers<void>();
  peer = await rawPeer((socket, piece, it) => {
    asked.resolve();
    answer(socket, piece, it);
  });
  const environment = {
    RUNTIME_TELEMETRY_OTLP_ENDPOINT: `http://127.0.0.1:${peer.port}`,
    RUNTIME_TELEMETRY_OTLP_TIMEOUT: "1",
  };
  await using traced = await startTraced({ environment });
  for (let round = 0; round < 5; round++) expect((await execute(traced.stage)).success).toBe(true);
  await asked.promise;
  expect((await execute(traced.stage)).success).toBe(true);
  const { runtime, logLines } = traced.stage.deployment;
  await runtime.close();
  const lines = logLines
    .map((line) => JSON.parse(line))
    .filter(({ message }) => message.startsWith("traces "));
  expect(lines.length).toBeLessThanOrEqual(1);
  for (const line of lines)
    expect(line).toMatchObject({
      level: "warn",
      message: "traces not exported",
      collector: `http://127.0.0.1:${peer.port}`,
    });
});

test("spans that wait when the server stops are sent", async () => {
  await using traced = await startTraced({ environment: { RUNTIME_TELEMETRY_OTLP_DELAY_MS: "60000" } });
  await execute(traced.stage);
  expect(traced.receiver.requests).toEqual([]);
  await traced.stage.deployment.runtime.close();
  expect(traced.receiver.one("execute_tool Test.Call").hasError).toBe(false);
});

test("headers for the collector that are not valid stop the start, without being shown", async () => {
  const environment = { OTEL_EXPORTER_OTLP_HEADERS: "api-key=%CANARY" };
  const failure: unknown = await startTraced({ environment }).catch((error: unknown) => error);
  expect(String(failure)).toContain("OTEL_EXPORTER_OTLP_HEADERS) must be name=value");
  expect(String(failure)).not.toContain("CANARY");
});
