// A sign of life on a terminal, and nothing anywhere else.
import { expect, test } from "bun:test";
import { withProgress } from "../../cli/progress";
import { fakeIo } from "./support/fake-io";

test("on a terminal a line comes after a second and goes at the end", async () => {
  const lines: string[] = [];
  const work = Promise.withResolvers<number>();
  const io = fakeIo({
    transient: (line) => {
      lines.push(line);
      work.resolve(7);
    },
  });

  expect(await withProgress(io, "Chat.WhoAmI", work.promise)).toBe(7);

  expect(lines).toEqual(["Chat.WhoAmI … 1 s", ""]);
});

test("the line goes when the work fails too", async () => {
  const lines: string[] = [];
  const io = fakeIo({ transient: (line) => void lines.push(line) });

  await expect(withProgress(io, "x", Promise.reject(new Error("no")))).rejects.toThrow("no");

  expect(lines).toEqual([""]);
});

test("without a terminal nothing is shown", async () => {
  const work = Promise.withResolvers<void>();
  const io = fakeIo();
  const terminal = fakeIo({ transient: () => work.resolve() });

  await Promise.all([io, terminal].map((each) => withProgress(each, "x", work.promise)));

  expect(io.stdout + io.stderr).toBe("");
});
