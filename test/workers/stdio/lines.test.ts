// The lines that a program prints: messages, and whatever else.
import { expect, test } from "bun:test";
import { readLines } from "../../../src/workers/stdio/lines";

const output = (...pieces: string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });

async function linesOf(...pieces: string[]): Promise<string[]> {
  const lines: string[] = [];
  await readLines(output(...pieces), (line) => lines.push(line));
  return lines;
}

test("only those that may be messages are taken, wherever they are cut", async () => {
  expect(await linesOf("started\n\n", '{"a":', '1}\n  [{"b":2}]\r\nlog {"c":3}\n', "\n")).toEqual([
    '{"a":1}',
    '  [{"b":2}]\r',
  ]);
});

test.each(["\n", "y\n", "{\n"])(
  "other work has its turn while a program prints %j without an end",
  async (line) => {
    let turns = 0;
    let isOver = false;
    const other = (): void => {
      turns++;
      if (!isOver) setImmediate(other);
    };
    setImmediate(other);
    await linesOf(...Array.from({ length: 10 }, () => line.repeat(10_000)));
    isOver = true;

    expect(turns).toBeGreaterThan(50);
  },
);
