// The writer of Protocol Buffers, against a decoder made from the published protocol files.
import { expect, test } from "bun:test";
import { ByteWriter } from "../../../src/telemetry/traces/byte-writer";
import { encodingOf } from "../../../src/telemetry/traces/send";
import { egressWith } from "../../egress/peers";
import { decodeRequest } from "./receiver";
import { finished, RESOURCE } from "./spans";

function attributesOf(body: Uint8Array): { key: string; value: object }[] {
  return decodeRequest(body).toJSON()["resourceSpans"][0].scopeSpans[0].spans[0].attributes;
}

// Where a length takes another byte, and where numbers do not fit into 32 bits.
test.each([0, 1, 117, 118, 119, 120, 127, 128, 129, 16_373, 16_383, 16_384, 16_400, 2_097_152])(
  "a text of %p characters is what is decoded",
  (length) => {
    const texts = { plain: "a".repeat(length), wide: "☃".repeat(length), mixed: `${"a".repeat(length)}é` };
    const batch = encodingOf("http/protobuf", RESOURCE).batch();
    batch.add(finished({ own: texts }));
    const found = attributesOf(batch.body()).map(({ key, value }) => [key, value]);
    expect(found).toEqual(Object.entries(texts).map(([key, stringValue]) => [key, { stringValue }]));
  },
);

test.each([
  0,
  1,
  127,
  128,
  16_383,
  16_384,
  2 ** 21 - 1,
  2 ** 21,
  2 ** 28,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 35,
  2 ** 42,
  2 ** 49,
  Number.MAX_SAFE_INTEGER,
  -1,
  -128,
  -(2 ** 31),
  Number.MIN_SAFE_INTEGER,
])("the number %p is what is decoded", (number) => {
  const batch = encodingOf("http/protobuf", RESOURCE).batch();
  batch.add(finished({ own: { number } }));
  expect(attributesOf(batch.body())).toEqual([{ key: "number", value: { intValue: String(number) } }]);
});

test.each([0.5, -1.25, 1e300, Number.MIN_VALUE, 2 ** 53])("the fraction %p is what is decoded", (number) => {
  const batch = encodingOf("http/protobuf", RESOURCE).batch();
  batch.add(finished({ own: { number } }));
  expect(attributesOf(batch.body())).toEqual([{ key: "number", value: { doubleValue: number } }]);
});

test("a message may be shorter than it was expected to be", () => {
  const writer = new ByteWriter(8);
  const begun = writer.begin(2, 3);
  writer.integer(1, 5);
  writer.end(begun, 3);
  writer.integer(3, 7);
  expect(writer.slice(0).toHex()).toBe("120208051807");
});

test("wherever the memory grows, the same is written", () => {
  const write = (writer: ByteWriter): string => {
    const begun = writer.begin(2, 2);
    writer.longId(1, [1, 2, 3, 4]);
    writer.id(2, 5, 6);
    writer.text(3, "plain");
    writer.text(3, "☃");
    writer.time(7, 1_796_000_000_000.25);
    writer.fixed32(16, 0x301);
    writer.double(4, 0.5);
    writer.integer(5, -1);
    writer.integer(5, 2 ** 40);
    writer.raw(new Uint8Array([1, 2, 3]));
    writer.end(begun, 2);
    return writer.slice(0).toHex();
  };
  const whole = write(new ByteWriter(4096));

  for (let size = 1; size <= whole.length / 2; size++)
    expect([size, write(new ByteWriter(size))]).toEqual([size, whole]);
});

test("a batch in the memory of another one has only its own spans", () => {
  const encoding = encodingOf("http/protobuf", RESOURCE);
  const first = encoding.batch();
  for (let at = 0; at < 1000; at++) first.add(finished({ name: `first ${at}` }));
  expect(first.memory).toBeGreaterThan(64 * 1024);
  first.release();
  const second = encoding.batch();
  expect(second.memory).toBe(first.memory);
  second.add(finished({ name: "second" }));
  const { resourceSpans } = decodeRequest(second.body()).toJSON();
  expect(resourceSpans[0].scopeSpans[0].spans.map(({ name }: { name: string }) => name)).toEqual(["second"]);
  expect(encoding.batch().memory).toBeLessThan(64 * 1024);
});

test("a body that changes once a request has begun is sent as it was", async () => {
  const bytes = new Uint8Array(8_000_000).fill(1);
  const before: number[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    maxRequestBodySize: bytes.length,
    async fetch(request) {
      bytes.fill(2);
      before.push(new Set(new Uint8Array(await request.arrayBuffer())).size, bytes[0] ?? 0);
      return new Response(null);
    },
  });
  await egressWith().fetch(server.url.href, { method: "POST", bytes });
  expect(before).toEqual([1, 2]);
});
