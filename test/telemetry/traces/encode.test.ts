// Both encodings, decoded by types made from the published protocol files.
import { expect, test } from "bun:test";
import { encodeJson } from "../../../src/telemetry/traces/encode-json";
import { encodeProtobuf, rejectedInProtobuf } from "../../../src/telemetry/traces/encode-protobuf";
import type { FinishedSpan } from "../../../src/telemetry/traces/span";
import { startReceiver } from "./receiver";
import { finished, RESOURCE } from "./spans";

const ENCODINGS = [
  ["http/json", encodeJson, "application/json"],
  ["http/protobuf", encodeProtobuf, "application/x-protobuf"],
] as const;

async function received(
  encode: (typeof ENCODINGS)[number][1],
  type: string,
  spans: readonly FinishedSpan[],
): Promise<ReturnType<typeof startReceiver>> {
  const receiver = startReceiver();
  const response = await fetch(`${receiver.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": type },
    body: encode(RESOURCE, spans),
  });
  expect(receiver.faults).toEqual([]);
  expect(response.status).toBe(200);
  return receiver;
}

test.each(ENCODINGS)("%s has every part of a span", async (_protocol, encode, type) => {
  const span = finished({
    parentSpanId: "00f067aa0ba902b7",
    hasRemoteParent: true,
    name: "GET /v1/tools/{name}",
    kind: 2,
    attributes: {
      text: "é☃",
      count: 9007199254740991,
      minus: -5,
      share: 0.25,
      yes: true,
      none: undefined,
      list: ["a", "b"],
    },
    events: [{ name: "begun", atMs: 1_790_000_000_000.5, attributes: { a: 1 } }],
    link: { traceId: "c".repeat(32), spanId: "d".repeat(16), isSampled: true, traceState: "" },
    error: "timeout",
  });
  using receiver = await received(encode, type, [span]);
  expect(receiver.spans).toEqual([
    {
      traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
      spanId: "b7ad6b7169203331",
      parentSpanId: "00f067aa0ba902b7",
      traceState: "rojo=00f067aa0ba902b7",
      name: "GET /v1/tools/{name}",
      kind: 2,
      flags: 0x301,
      startNs: 1_790_000_000_000_250_000n,
      endNs: 1_790_000_000_001_500_000n,
      attributes: {
        text: "é☃",
        count: 9007199254740991,
        minus: -5,
        share: 0.25,
        yes: true,
        list: ["a", "b"],
      },
      links: [{ traceId: "c".repeat(32), spanId: "d".repeat(16) }],
      hasError: true,
      resource: { "service.name": "runtime" },
    },
  ]);
});

test.each(ENCODINGS)(
  "%s replaces half a character, which UTF-8 cannot have",
  async (_protocol, encode, type) => {
    using receiver = await received(encode, type, [finished({ attributes: { text: "a\ud800b" } })]);
    expect(receiver.spans[0]?.attributes).toEqual({ text: "a\ufffdb" });
  },
);

test.each(ENCODINGS)("%s has hundreds of spans in order", async (_protocol, encode, type) => {
  const spans = Array.from({ length: 512 }, (_, at) => finished({ name: `span ${at}` }));
  using receiver = await received(encode, type, spans);
  expect(receiver.spans.map(({ name }) => name)).toEqual(spans.map(({ name }) => name));
});

test("the number of rejected spans is read from an answer, and fields of later versions are skipped", () => {
  // partial_success { rejected_spans: 300, error_message: "no" }, and a field 15 that does not exist yet.
  expect(rejectedInProtobuf(Uint8Array.fromHex("0a0708ac0212026e6f7a0101"))).toBe(300);
  expect(rejectedInProtobuf(new Uint8Array())).toBe(0);
  expect(() => rejectedInProtobuf(Uint8Array.fromHex("0aff"))).toThrow();
});
