// Where the root key comes from, which texts are keys, and what the errors reveal.
import { describe, expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Redacted } from "../../src/base";
import { systemRandom } from "../../src/crypto";
import { findRootKey, makeRootKey, type RootKeySettings } from "../../src/crypto/root-key";
import { temporaryFolder } from "../support/temporary";

// 32 bytes of 0xfb: their base64 has `+` and `/`, their base64url `-` and `_`.
const BYTES = Buffer.alloc(32, 0xfb);
const KEY = BYTES.toString("base64");
const NOTHING: RootKeySettings = { value: undefined, file: undefined, defaultFile: "/nowhere/root.key" };

function find(text: string): ReturnType<typeof findRootKey> {
  return findRootKey({ ...NOTHING, value: new Redacted(text) });
}

function keyFile(text: string): string {
  const file = join(temporaryFolder(), "root.key");
  writeFileSync(file, text);
  return file;
}

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return `${String(error)} ${Bun.inspect(error)} ${JSON.stringify(error)}`;
  }
  throw new Error("nothing was thrown");
}

describe("RUNTIME_ROOT_KEY", () => {
  const forms: [string, string][] = [
    ["base64", KEY],
    ["base64 without padding", KEY.replace("=", "")],
    ["base64url", BYTES.toString("base64url")],
    ["base64url with padding", `${BYTES.toString("base64url")}=`],
    ["hex", BYTES.toString("hex")],
    ["hex in capitals", BYTES.toString("hex").toUpperCase()],
    ["base64 with a line end", `${KEY}\n`],
    ["base64 with blanks around", `  ${KEY}\r\n`],
  ];
  test.each(forms)("is read as %s", (_form, text) => {
    expect(find(text)?.key.reveal()).toBe(KEY);
  });

  test.each(forms)("has the same id as %s", (_form, text) => {
    expect(find(text)?.id).toBe(find(KEY)?.id);
  });

  const refused: [string, string][] = [
    ["blank", "   "],
    ["a line end alone", "\n"],
    ["a word", "changeme"],
    ["31 bytes as base64", BYTES.subarray(1).toString("base64")],
    ["33 bytes as base64", Buffer.alloc(33, 1).toString("base64")],
    ["16 bytes as hex", BYTES.subarray(16).toString("hex")],
    ["63 digits of hex", BYTES.toString("hex").slice(1)],
    ["base64 with an invalid character", KEY.replace("+", "!")],
    ["base64 with a blank inside", `${KEY.slice(0, 20)} ${KEY.slice(20)}`],
    ["two keys", `${KEY}\n${KEY}`],
  ];
  test.each(refused)("is refused when it is %s, with an explanation of what a key is", (_form, text) => {
    expect(() => find(text)).toThrow(
      expect.objectContaining({
        name: "configuration",
        message:
          "RUNTIME_ROOT_KEY is not a root key. A root key is 32 random bytes as base64 or hex; create one with: openssl rand -base64 32",
      }),
    );
  });

  test("is not repeated in the error when it is refused", () => {
    const almost = KEY.slice(0, 40);

    const message = messageOf(() => find(almost));
    expect(message).toContain("RUNTIME_ROOT_KEY");
    expect(message).not.toContain(almost.slice(0, 12));
  });

  test("takes precedence over the file", () => {
    const other = keyFile(Buffer.alloc(32, 1).toString("base64"));
    const found = findRootKey({ ...NOTHING, value: new Redacted(KEY), file: other });

    expect([found?.key.reveal(), found?.source]).toEqual([KEY, "RUNTIME_ROOT_KEY"]);
  });

  test("is redacted when the key is printed", () => {
    const found = find(KEY);

    const text = `${Bun.inspect(found)} ${JSON.stringify(found)}`;
    expect(text).toContain("RUNTIME_ROOT_KEY");
    expect(text).not.toContain(KEY.slice(0, 12));
  });
});

describe("RUNTIME_ROOT_KEY_FILE", () => {
  test("is the path of a file with the key and a line end", () => {
    const file = keyFile(`${KEY}\n`);

    expect(findRootKey({ ...NOTHING, file })?.key.reveal()).toBe(KEY);
  });

  test("takes precedence over the default file", () => {
    const defaultFile = keyFile(Buffer.alloc(32, 1).toString("base64"));
    const file = keyFile(KEY);

    expect(findRootKey({ value: undefined, file, defaultFile })?.source).toBe(file);
  });

  test("of a missing file is refused with the path, even if the default file exists", () => {
    const defaultFile = keyFile(KEY);
    const file = join(temporaryFolder(), "absent.key");

    expect(() => findRootKey({ value: undefined, file, defaultFile })).toThrow(
      expect.objectContaining({
        name: "configuration",
        message: `The root key file ${file} cannot be read. Check its path and its permissions.`,
      }),
    );
  });

  test("of a folder is refused with the path", () => {
    const file = temporaryFolder();

    expect(() => findRootKey({ ...NOTHING, file })).toThrow(
      expect.objectContaining({
        name: "configuration",
        message: `The root key file ${file} is not a regular file. Put the root key into a file that only you can read.`,
      }),
    );
  });

  test.each(["", "\n", "changeme\n"])("of a file that contains %j is refused with the path", (text) => {
    const file = keyFile(text);

    expect(() => findRootKey({ ...NOTHING, file })).toThrow(
      expect.objectContaining({
        name: "configuration",
        message: expect.stringContaining(`${file} is not a root key. A root key is`),
      }),
    );
  });

  test("does not repeat the content of a file that is refused", () => {
    const almost = KEY.slice(0, 40);

    const message = messageOf(() => findRootKey({ ...NOTHING, file: keyFile(almost) }));
    expect(message).toContain("a root key");
    expect(message).not.toContain(almost.slice(0, 12));
  });

  const mistaken: [string, string][] = [
    ["base64", Buffer.alloc(32, 7).toString("base64")],
    ["hex", BYTES.toString("hex")],
    ["base64 with a slash, made a path by the configuration", resolve(`ab/${KEY.slice(3)}`)],
  ];
  test.each(mistaken)("that is the key itself (%s) is refused without repeating it", (_form, file) => {
    const message = messageOf(() => findRootKey({ ...NOTHING, file }));

    expect(message).toContain("RUNTIME_ROOT_KEY_FILE");
    expect(message).not.toContain(file.slice(-12));
  });
});

describe("the default file", () => {
  test("is used when neither setting is set", () => {
    const defaultFile = keyFile(KEY);

    expect(findRootKey({ ...NOTHING, defaultFile })?.source).toBe(defaultFile);
  });

  test("is not created by a search for it", () => {
    const defaultFile = join(temporaryFolder(), "root.key");

    expect(findRootKey({ ...NOTHING, defaultFile })).toBeUndefined();
  });

  test("is created for its owner only, in a folder for its owner only", () => {
    const folder = join(temporaryFolder(), "config");
    const defaultFile = join(folder, "root.key");
    makeRootKey({ ...NOTHING, defaultFile }, systemRandom);

    expect([statSync(defaultFile).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  test("contains the created key as one line of base64", () => {
    const defaultFile = join(temporaryFolder(), "root.key");
    const made = makeRootKey({ ...NOTHING, defaultFile }, () => BYTES);

    expect(readFileSync(defaultFile, "utf8")).toBe(`${KEY}\n`);
    expect(made.key.reveal()).toBe(KEY);
  });

  test("is kept and used if another process created it in the meantime", () => {
    const defaultFile = keyFile(KEY);
    const made = makeRootKey({ ...NOTHING, defaultFile }, systemRandom);

    expect([made.key.reveal(), readFileSync(defaultFile, "utf8")]).toEqual([KEY, KEY]);
  });

  test("that cannot be created is refused with the names of the alternative settings", () => {
    const notAFolder = keyFile(KEY);
    const defaultFile = join(notAFolder, "root.key");

    expect(() => makeRootKey({ ...NOTHING, defaultFile }, systemRandom)).toThrow(
      expect.objectContaining({
        name: "configuration",
        message: `Cannot write the root key to ${defaultFile}. Set RUNTIME_ROOT_KEY or RUNTIME_ROOT_KEY_FILE.`,
      }),
    );
  });

  test("created twice contains two different keys", () => {
    const make = (): string =>
      makeRootKey(
        { ...NOTHING, defaultFile: join(temporaryFolder(), "root.key") },
        systemRandom,
      ).key.reveal();

    expect(make()).not.toBe(make());
  });
});
