// A tool that takes longer than any idle timeout, called through a gateway.
import { expect, test } from "bun:test";
import { client, valueAt, startMcpSite } from "../mcp/site";
import { scaled } from "../support/long";

const SECONDS = scaled(110);
const KEEP_ALIVE_S = 15;

// Idle timeouts of the server and of proxies would interrupt a call of 90 s.
test(`a call of ${SECONDS} s is answered once, as a stream with keep-alive comments or as one answer [fault: silent-call]`, async () => {
  await using site = await startMcpSite({ environment: { RUNTIME_TOOLS_TIMEOUT: "300" } });
  const url = await site.gateway("slow");
  const key = await site.key();
  site.deployment.test.act = async (_input, { sleep }) => {
    await sleep(SECONDS * 1000);
    return { done: true };
  };
  const call = { name: "Test_Act", arguments: {} };
  const [stream, whole] = await Promise.all([
    client(url, { key, user: "alice" }).modern("tools/call", call),
    client(url, { key, user: "alice", headers: { accept: "application/json" } }).legacy("tools/call", call),
  ]);
  for (const answer of [stream, whole]) {
    expect(answer.messages).toHaveLength(1);
    expect(valueAt(answer, "result.structuredContent")).toEqual({ done: true });
  }
  const signs = stream.text.match(/^: /gm)?.length ?? 0;
  expect(signs).toBeGreaterThanOrEqual(Math.floor(SECONDS / KEEP_ALIVE_S) - 1);
  process.stdout.write(`${SECONDS} s: ${signs} signs of life\n`);
}, 300_000);
