// Events of a stream, whatever the cuts: what comes out does not depend on where bytes were cut.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Blocks, readEvents, type ServerEvent } from "../../../src/llm/stream/read-events";

function streamOf(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.byteLength + 1)))].toSorted(
    (left, right) => left - right,
  );
  return new ReadableStream({
    start(controller) {
      let from = 0;
      for (const to of [...places, bytes.byteLength]) {
        controller.enqueue(bytes.slice(from, to));
        from = to;
      }
      controller.close();
    },
  });
}

async function read(text: string, cuts: readonly number[] = []): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of readEvents(streamOf(new TextEncoder().encode(text), cuts))) events.push(event);
  return events;
}

describe("events", () => {
  test.each<[string, string, ServerEvent[]]>([
    ["one", "data: a\n\n", [{ name: "", data: "a" }]],
    ["with a name", "event: x\ndata: a\n\n", [{ name: "x", data: "a" }]],
    [
      "a name holds for one event only",
      "event: x\ndata: a\n\ndata: b\n\n",
      [
        { name: "x", data: "a" },
        { name: "", data: "b" },
      ],
    ],
    ["on several lines", "data: a\ndata:b\n\n", [{ name: "", data: "a\nb" }]],
    ["without a colon", "data\n\n", [{ name: "", data: "" }]],
    ["comments and other fields are nothing", ": c\nid: 1\nretry: 5\ndatax: y\n\n", []],
    ["without an end", "data: a", [{ name: "", data: "a" }]],
    ["only one space is cut", "data:  a\n\n", [{ name: "", data: " a" }]],
    ["nothing", "", []],
  ])("%s", async (_what, text, events) => {
    expect(await read(text)).toEqual(events);
  });

  test("are the same for any split of the bytes and any line ending", async () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\n\uFEFF\0]/g, ""));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 5 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat(500), { maxLength: 20 }),
        async (texts, end, cuts) => {
          const text = texts.map((one) => `data: ${one}${end}${end}`).join("");
          expect((await read(text, cuts)).map(({ data }) => data)).toEqual(texts);
        },
      ),
    );
  });
});

describe("blocks without an event", () => {
  const split = (text: string, size = text.length) => {
    const blocks = new Blocks();
    const found = [];
    const all = Buffer.from(text);
    for (let at = 0; at < all.byteLength; at += size) found.push(...blocks.add(all.subarray(at, at + size)));
    const last = blocks.end();
    return [...found, ...(last === undefined ? [] : [last])].map(({ bytes, event }) => [
      Buffer.from(bytes).toString(),
      event?.data,
    ]);
  };

  test("are one block for each piece", () => {
    expect(split("\n".repeat(50_000))).toEqual([["\n".repeat(50_000), undefined]]);
  });

  test("stay in their place between events, byte by byte", () => {
    const text = ": a\n\n\n\ndata: 1\n\n: b\n\ndata: 2\n\n\n";

    expect(split(text)).toEqual([
      [": a\n\n\n\n", undefined],
      ["data: 1\n\n", "1"],
      [": b\n\n", undefined],
      ["data: 2\n\n", "2"],
      ["\n", undefined],
    ]);
    for (const size of [1, 2, 3, 7]) {
      const found = split(text, size);
      expect(found.map(([bytes]) => bytes).join("")).toBe(text);
      expect(found.flatMap(([, data]) => data ?? [])).toEqual(["1", "2"]);
    }
  });
});
