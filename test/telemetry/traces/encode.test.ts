// Both encodings, decoded by types made from the published protocol files.
import { expect, test } from "bun:test";
import { rejectedInProtobuf } from "../../../src/telemetry/traces/rejected";
import type { Encoding } from "../../../src/telemetry/traces/encoding";
import { spanIdOf, traceIdOf } from "../../../src/telemetry/traces/ids";
import { encodingOf } from "../../../src/telemetry/traces/send";
import type { FinishedSpan } from "../../../src/telemetry/traces/span";
import { decodeRequest, startReceiver } from "./receiver";
import { finished, RESOURCE } from "./spans";

function bodyOf(encoding: Encoding, spans: readonly FinishedSpan[]): Uint8Array<ArrayBuffer> {
  const batch = encoding.batch();
  for (const span of spans) batch.add(span);
  return batch.body();
}

const ENCODINGS = (["http/json", "http/protobuf"] as const).map(
  (protocol) => [protocol, encodingOf(protocol, RESOURCE)] as const,
);

async function received(
  encoding: Encoding,
  spans: readonly FinishedSpan[],
): Promise<ReturnType<typeof startReceiver>> {
  const receiver = startReceiver();
  const response = await fetch(`${receiver.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": encoding.contentType },
    body: bodyOf(encoding, spans),
  });
  expect(receiver.faults).toEqual([]);
  expect(response.status).toBe(200);
  return receiver;
}

test.each(ENCODINGS)("%s has every part of a span", async (_protocol, encoding) => {
  const span = finished({
    parent: spanIdOf("00f067aa0ba902b7"),
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
    own: { "own text": "x".repeat(20_000), "own number": 2 },
    events: [{ name: "begun", atMs: 1_790_000_000_000.5, attributes: { a: 1 } }],
    link: {
      ...spanIdOf("d".repeat(16)),
      trace: { id: traceIdOf("c".repeat(32)), isSampled: true, state: "" },
    },
    error: "timeout",
  });
  using receiver = await received(encoding, [span]);
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
        "own text": "x".repeat(20_000),
        "own number": 2,
      },
      links: [{ traceId: "c".repeat(32), spanId: "d".repeat(16) }],
      hasError: true,
      resource: { "service.name": "runtime" },
    },
  ]);
});

test.each(ENCODINGS)("%s replaces half a character, which UTF-8 cannot have", async (_protocol, encoding) => {
  using receiver = await received(encoding, [finished({ attributes: { text: "a\ud800b" } })]);
  expect(receiver.spans[0]?.attributes).toEqual({ text: "a\ufffdb" });
});

test.each(ENCODINGS)("%s has hundreds of spans in order", async (_protocol, encoding) => {
  const spans = Array.from({ length: 512 }, (_, at) => finished({ name: `span ${at}` }));
  using receiver = await received(encoding, spans);
  expect(receiver.spans.map(({ name }) => name)).toEqual(spans.map(({ description }) => description.name));
});

test.each([
  0.001, 4_294_967.295, 4_294_967.296, 1_790_000_000_000.25, 1_796_003_808_278.069, 9_007_199_254_740,
])("the time %p ms is the same in both encodings", (ms) => {
  const span = finished({ startMs: ms, endMs: ms });
  const { resourceSpans } = decodeRequest(bodyOf(encodingOf("http/protobuf", RESOURCE), [span])).toJSON();
  const json = JSON.parse(new TextDecoder().decode(bodyOf(encodingOf("http/json", RESOURCE), [span])));
  const timeOf = (spans: { scopeSpans: { spans: { startTimeUnixNano?: string }[] }[] }[]) =>
    spans[0]?.scopeSpans[0]?.spans[0]?.startTimeUnixNano ?? "0";
  expect(timeOf(resourceSpans)).toBe(timeOf(json.resourceSpans));
});

test("the number of rejected spans is read from an answer, and fields of later versions are skipped", () => {
  // partial_success { rejected_spans: 300, error_message: "no" }, and a field 15 that does not exist yet.
  expect(rejectedInProtobuf(Uint8Array.fromHex("0a0708ac0212026e6f7a0101"))).toBe(300);
  expect(rejectedInProtobuf(new Uint8Array())).toBe(0);
  // Fields of every other type before it, and a negative number.
  expect(rejectedInProtobuf(Uint8Array.fromHex("1001190102030405060708250102030422027a7a0a020805"))).toBe(5);
  expect(rejectedInProtobuf(Uint8Array.fromHex("0a0b08ffffffffffffffffff01"))).toBeGreaterThan(
    Number.MAX_SAFE_INTEGER,
  );
  for (const broken of ["0aff", "0a", "0a0208", "0bff", "0a0c08ffffffffffffffffffff01"])
    expect(() => rejectedInProtobuf(Uint8Array.fromHex(broken))).toThrow(RangeError);
});

test("a span that cannot be written does not damage the batch", () => {
  const batch = encodingOf("http/protobuf", RESOURCE).batch();
  batch.add(finished({ name: "before" }));
  expect(() => batch.add(finished({ endMs: NaN, attributes: { a: "b" } }))).toThrow();
  batch.add(finished({ name: "after" }));
  expect(batch.spans).toBe(2);
  const { resourceSpans } = decodeRequest(batch.body()).toJSON();
  expect(resourceSpans[0].scopeSpans[0].spans.map(({ name }: { name: string }) => name)).toEqual([
    "before",
    "after",
  ]);
});

test("attributes that repeat are the same in every batch, also those with a thousand values", async () => {
  const encoding = encodingOf("http/protobuf", RESOURCE);
  const texts = Array.from({ length: 1000 }, (_, at) => `${at}`);
  for (let round = 0; round < 3; round++) {
    const spans = texts.map((id) =>
      finished({ attributes: { id, half: "a\ud800", fixed: "é", empty: "", long: "x".repeat(500) } }),
    );
    using receiver = await received(encoding, spans);
    expect(receiver.spans.map(({ attributes }) => attributes["id"])).toEqual(texts);
    for (const { attributes } of receiver.spans)
      expect(attributes).toMatchObject({ half: "a\ufffd", fixed: "é", empty: "", long: "x".repeat(500) });
  }
});
