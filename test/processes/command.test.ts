// How a command becomes a program, and what an operator is told when it cannot.
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cageSupport, ProcessRefused } from "../../src/processes";
import { findProgram } from "../../src/processes/command";
import { testIfAllowed } from "../support/require";
import { temporaryFolder } from "../support/temporary";
import { hostForTest, outputOf, program } from "./support/programs";

const testInCage = testIfAllowed("Landlock with signals (Linux 6.12)", cageSupport().supported);

function folders() {
  const [first, second] = [join(temporaryFolder(), "a"), join(temporaryFolder(), "b")];
  for (const folder of [first, second]) {
    mkdirSync(folder);
    writeFileSync(join(folder, "tool"), "#!/bin/sh\necho $0\n", { mode: 0o755 });
  }
  writeFileSync(join(first, "text"), "", { mode: 0o644 });
  return { first, second, path: `${first}:relative:${second}` };
}

test("a name is looked up in the folders of PATH, in order", () => {
  const { first, path } = folders();

  expect(findProgram("tool", path, undefined)).toBe(join(first, "tool"));
});

test("a program outside of the cage is passed over for one inside", () => {
  const { second, path } = folders();

  expect(findProgram("tool", path, [second])).toBe(join(second, "tool"));
});

test.each([
  ["missing", "was not found in"],
  ["text", "was not found in"],
  ["../tool", "is a relative path"],
  ["/no/such/program", "does not exist"],
  ["/etc/passwd", "is not a file that can be executed"],
  ["/etc", "is not a file that can be executed"],
])("%s is refused with the reason", (command, words) => {
  const find = (): string => findProgram(command, folders().path, undefined);

  expect(find).toThrow(ProcessRefused);
  expect(find).toThrow(words);
});

test("a program that only exists outside of the cage is named", () => {
  const { first, path } = folders();

  expect(() => findProgram("tool", path, ["/usr"])).toThrow(
    `The program ${join(first, "tool")} is outside of what a caged program may read.`,
  );
});

test("a link counts as the file that it leads to", () => {
  const { first, second } = folders();
  symlinkSync(join(first, "tool"), join(second, "linked"));

  expect(() => findProgram("linked", second, [second])).toThrow("is outside of what");
});

testInCage("a script whose interpreter does not exist is refused with the reason", async () => {
  const { first } = folders();
  const file = join(first, "broken");
  writeFileSync(file, "#!/no/such/interpreter\n");
  chmodSync(file, 0o755);

  const start = hostForTest().start(program([file], { read: [first] }));

  await expect(start).rejects.toThrow(
    `${file} could not be run: the file or its interpreter does not exist.`,
  );
});

testInCage("a script without an interpreter is run by the shell", async () => {
  const { first } = folders();
  const file = join(first, "script");
  writeFileSync(file, 'echo "$1"\n');
  chmodSync(file, 0o755);

  const running = await hostForTest().start(program([file, "word"], { read: [first] }));

  expect(await outputOf(running)).toBe("word\n");
});

test("a command, argument or variable with NUL is refused", async () => {
  const host = hostForTest();

  await expect(host.start(program(["/bin/echo", "a\0b"], { sandbox: "none" }))).rejects.toThrow("NUL");
});

test("a home that cannot be created is refused with the reason", async () => {
  const spec = program(["/bin/true"], { sandbox: "none", home: "/proc/home" });

  await expect(hostForTest().start(spec)).rejects.toThrow("/proc/home/tmp of the program cannot be created");
});
