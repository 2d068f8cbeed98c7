// A progress line on a terminal, and nothing elsewhere.
import { expect, test } from "bun:test";
import { withProgress } from "../../cli/progress";
import { fakeIo } from "./support/fake-io";

test("shows a line after a second on a terminal and clears it at the end", async () => {
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

test("clears the line when the work fails", async () => {
  const lines: string[] = [];
  const io = fakeIo({ transient: (line) => void lines.push(line) });

  await expect(withProgress(io, "x", Promise.reject(new Error("no")))).rejects.toThrow("no");

  expect(lines).toEqual([""]);
});

test("shows nothing without a terminal", async () => {
  const work = Promise.withResolvers<void>();
  const io = fakeIo();
  const terminal = fakeIo({ transient: () => work.resolve() });

  await Promise.all([io, terminal].map((each) => withProgress(each, "x", work.promise)));

  expect(io.stdout + io.stderr).toBe("");
});
