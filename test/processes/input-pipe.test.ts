// Standard input of a program keeps nothing of the lines that it has taken.
import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { openSync } from "node:fs";
import { InputPipe } from "../../src/processes/input-pipe";

function promises(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts["Promise"] ?? 0;
}

test("1,000 lines leave no promises behind", async () => {
  const pipe = new InputPipe(openSync("/dev/null", "w"));
  await pipe.write("first");
  const before = promises();
  for (let line = 0; line < 1000; line++) await pipe.write(`line ${line}`);

  expect(promises() - before).toBeLessThan(100);
  pipe.close();
});
