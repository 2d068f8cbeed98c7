// The short way to `runtime serve` reads a line as the program does, or not at all.
import { expect, test } from "bun:test";
import { parse } from "../../cli/program";
import { plainLine } from "../../cli/serving";
import { fakeIo } from "./support/fake-io";

test.each([
  ["serve"],
  ["serve --port 0"],
  ["serve --host 127.0.0.1 --port 9099"],
  ["serve --port 1 --port 2"],
  ["serve --data-dir /data --config /etc/runtime.yaml --project other"],
  ["serve --tls-cert server.pem --tls-key server.key"],
])("%s: the same by both", async (line) => {
  const argv = line.split(" ");
  const prepared = await parse(fakeIo(), argv);

  expect(plainLine(argv)).toEqual({
    common: prepared?.common,
    options: prepared?.options,
  } as ReturnType<typeof plainLine>);
});

test("a value may be empty, hold blanks or be spelled like a flag's name", async () => {
  const argv = ["serve", "--host", "", "--config", "my file.yaml", "--project", "port"];
  const prepared = await parse(fakeIo(), argv);

  expect(plainLine(argv)?.common).toEqual(prepared?.common as NonNullable<typeof prepared>["common"]);
  expect(plainLine(argv)?.options.host).toBe("");
});

test.each([
  ["help", "serve --help"],
  ["a flag without its value", "serve --port"],
  ["a flag for a value", "serve --host --port"],
  ["a value that begins with a dash", "serve --port -1"],
  ["a value joined to its flag", "serve --port=1"],
  ["a flag of other commands", "serve --server local"],
  ["a format", "serve -o json"],
  ["a word too much", "serve now"],
  ["a mistyped flag", "serve --prot 1"],
  ["flags before the command", "--port 1 serve"],
  ["another command", "tools list"],
  ["nothing", ""],
])("left to the program: %s", (_what, line) => {
  expect(plainLine(line.split(" "))).toBeUndefined();
});
