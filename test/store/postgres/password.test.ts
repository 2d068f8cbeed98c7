// The password of the database user, from a file or a program.
import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { passwordReader } from "../../../src/store/postgres/password";
import { temporaryFolder } from "../../support/temporary";

function fileWith(text: string, mode = 0o600): string {
  const file = join(temporaryFolder(), "password");
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

async function ofFile(passwordFile: string): Promise<string | undefined> {
  return passwordReader({ passwordFile, passwordCommand: undefined })?.();
}

async function printedBy(...passwordCommand: string[]): Promise<string | undefined> {
  return passwordReader({ passwordFile: undefined, passwordCommand })?.();
}

test("there is no source if no setting names one", () => {
  expect(passwordReader({ passwordFile: undefined, passwordCommand: undefined })).toBeUndefined();
});

describe("a file", () => {
  test.each([
    ["a b", "a b"],
    ["a\n", "a"],
    ["a\r\n", "a"],
    [" é ", " é "],
  ])("%j has the password %j", async (text, password) => {
    expect(await ofFile(fileWith(text))).toBe(password);
  });

  test("is read at each connect", async () => {
    const file = fileWith("first\n");
    const read = passwordReader({ passwordFile: file, passwordCommand: undefined });

    expect(await read?.()).toBe("first");
    writeFileSync(file, "second\n");
    expect(await read?.()).toBe("second");
  });

  test("may be readable for its group, as orchestrators mount secrets", async () => {
    expect(await ofFile(fileWith("a", 0o440))).toBe("a");
  });

  test.each([0o644, 0o604, 0o620])("that others can read or replace is refused (mode %o)", async (mode) => {
    await expect(ofFile(fileWith("s3cret", mode))).rejects.toMatchObject({
      name: "configuration",
      message: expect.stringMatching(
        /^Other users can read or replace the database\.password_file .*chmod 600/,
      ),
    });
  });

  test.each(["", "\n", "s3cret\nmore\n", "s3\0cret"])("with %j is refused without its text", async (text) => {
    const error: unknown = await ofFile(fileWith(text)).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ name: "configuration" });
    expect(String(error)).toContain("must contain one line with the password and nothing else.");
    expect(Bun.inspect(error)).not.toContain("s3cret");
  });

  test.each(["/nothing/password", "/"])("%s is refused", async (file) => {
    await expect(ofFile(file)).rejects.toMatchObject({
      name: "configuration",
      message: expect.stringContaining(`database.password_file: ${file} cannot be read.`),
    });
  });
});

describe("a program", () => {
  test("prints the password", async () => {
    expect(await printedBy("printf", "%s\\n", "a b")).toBe("a b");
  });

  test("gets none of the settings, which may be secrets", async () => {
    process.env["RUNTIME_TEST_VALUE"] = "s3cret";
    try {
      expect(await printedBy("sh", "-c", 'echo "got ${RUNTIME_TEST_VALUE:-nothing}"')).toBe("got nothing");
    } finally {
      delete process.env["RUNTIME_TEST_VALUE"];
    }
  });

  test("that fails makes the database unavailable, with what it says and without what could be a key", async () => {
    const key = "k".repeat(40);
    const error: unknown = await printedBy("sh", "-c", `echo s3cret; echo sealed ${key} >&2; exit 2`).catch(
      (thrown: unknown) => thrown,
    );

    expect(error).toMatchObject({
      name: "unavailable",
      message:
        "database.password_command: sh failed with the exit code 2. Run it by hand as the user that runs runtime. " +
        "It wrote: sealed [redacted]",
    });
    expect(Bun.inspect(error)).not.toContain("s3cret");
  });

  test.each(["", "s3cret\nmore"])("that prints %j is refused", async (text) => {
    const error: unknown = await printedBy("printf", "%s", text).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ name: "configuration" });
    expect(String(error)).toContain("printf must print one line with the password.");
    expect(Bun.inspect(error)).not.toContain("s3cret");
  });

  test("that prints without an end is ended", async () => {
    await expect(printedBy("yes")).rejects.toMatchObject({ name: "unavailable" });
  });

  test("that does not exist is refused", async () => {
    await expect(printedBy("/nothing/vault")).rejects.toMatchObject({
      name: "configuration",
      message: "database.password_command: /nothing/vault cannot be started. Use its absolute path.",
    });
  });
});
