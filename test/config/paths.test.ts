// Folders according to the XDG base directory specification, and paths that users enter.
import { describe, expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureFolder, type Environment } from "../../src/config";
import { absolute, defaultConfigFile, defaultDataFolder } from "../../src/config/paths";
import { temporaryFolder } from "../support/temporary";
import { refusalOf } from "./home";

describe("default places", () => {
  test.each<[string, Environment, string | undefined, string | undefined]>([
    ["HOME", { HOME: "/home/a" }, "/home/a/.config/runtime/runtime.yaml", "/home/a/.local/share/runtime"],
    [
      "XDG over HOME",
      { HOME: "/home/a", XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d" },
      "/c/runtime/runtime.yaml",
      "/d/runtime",
    ],
    [
      "XDG without HOME",
      { XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d" },
      "/c/runtime/runtime.yaml",
      "/d/runtime",
    ],
    ["XDG with HOME at the root", { HOME: "/", XDG_CONFIG_HOME: "/c" }, "/c/runtime/runtime.yaml", undefined],
    [
      "a relative XDG folder, which the specification says to ignore",
      { HOME: "/home/a", XDG_CONFIG_HOME: "c", XDG_DATA_HOME: "./d" },
      "/home/a/.config/runtime/runtime.yaml",
      "/home/a/.local/share/runtime",
    ],
    [
      "an empty XDG folder",
      { HOME: "/home/a", XDG_CONFIG_HOME: "" },
      "/home/a/.config/runtime/runtime.yaml",
      "/home/a/.local/share/runtime",
    ],
    ["nothing", {}, undefined, undefined],
    ["a HOME at the root", { HOME: "/" }, undefined, undefined],
    ["an empty HOME", { HOME: "" }, undefined, undefined],
    ["a relative HOME", { HOME: "a" }, undefined, undefined],
  ])("with %s", (_what, environment, file, folder) => {
    expect([defaultConfigFile(environment), defaultDataFolder(environment)]).toEqual([file, folder]);
  });
});

describe("a path that a user enters", () => {
  const environment = { HOME: "/home/a" };

  test.each([
    ["/srv/data", "/srv/data"],
    ["/srv/../data/", "/data"],
    ["~", "/home/a"],
    ["~/data", "/home/a/data"],
    ["~/", "/home/a"],
    ["~/../b", "/home/b"],
    ["data", join(process.cwd(), "data")],
    ["~other/data", join(process.cwd(), "~other/data")],
    ["data/~", join(process.cwd(), "data/~")],
  ])("%s is %s", (path, expected) => {
    expect(absolute(path, environment)).toBe(expected);
  });

  test.each<[string, Environment]>([
    ["unset", {}],
    ["empty", { HOME: "" }],
    ["relative", { HOME: "a" }],
  ])("with ~ is refused while HOME is %s", (_home, bare) => {
    expect(refusalOf(() => absolute("~/data", bare))).toBe(
      "~/data: there is no home folder for ~. Set HOME, or use an absolute path.",
    );
  });

  test("without ~ needs no HOME", () => {
    expect(absolute("/srv/data", {})).toBe("/srv/data");
  });
});

describe("creating a folder", () => {
  test("creates missing parents too, for the owner only", () => {
    const folder = join(temporaryFolder(), "a", "b");
    ensureFolder(folder, "RUNTIME_DATA_DIR");

    expect([statSync(folder).mode & 0o777, statSync(join(folder, "..")).mode & 0o777]).toEqual([
      0o700, 0o700,
    ]);
  });

  test("does not change an existing folder", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "kept"), "");
    ensureFolder(folder, "RUNTIME_DATA_DIR");

    expect(statSync(join(folder, "kept")).isFile()).toBe(true);
  });

  test("names the folder and the setting if it fails", () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const folder = join(file, "data");

    expect(refusalOf(() => ensureFolder(folder, "RUNTIME_DATA_DIR"))).toBe(
      `The folder ${folder} cannot be created. Set RUNTIME_DATA_DIR to a writable folder.`,
    );
  });

  test("names the folder and the setting if it is a file", () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");

    expect(refusalOf(() => ensureFolder(file, "RUNTIME_DATA_DIR"))).toContain(
      `The folder ${file} cannot be created`,
    );
  });
});
