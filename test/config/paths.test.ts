// Folders according to the XDG base directory specification, and paths that users enter.
import { describe, expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureFolder, type Environment, parseDatabaseUrl } from "../../src/config";
import { loadConfig } from "../support/config";
import { absolute, defaultConfigFile, defaultDataFolder } from "../../src/config/paths";
import { temporaryFolder } from "../support/temporary";
import { newHome, refusalOf } from "./home";

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

describe("a relative path in the configuration file is below the folder of the file", () => {
  const yaml = `data_dir: da ta
root_key_file: ../keys/root.key
root_key.command: [./print-key, relative]
tls: { cert: tls/cert.pem, key: ./tls/key.pem }
backup.folder: backups
audit: { heads_file: heads.jsonl, key_file: audit.key }
egress.ca_file: ca.pem
database:
  url: "postgres://u@db.test/app?sslmode=verify-full&sslrootcert=ca%20one.pem&sslcert=/c.pem&sslkey=c.key"
  password_command: [print-password, relative]
`;

  test("for every path, and for programs and files of a database", () => {
    const { home, file } = newHome(yaml);
    const config = loadConfig({ environment: { HOME: home } });
    const folder = dirname(file);
    const paths = [config.dataFolder(), config.rootKeyFile(), config.backupFolder(), config.auditHeadsFile()];

    expect(paths).toEqual([
      join(folder, "da ta"),
      join(folder, "..", "keys", "root.key"),
      join(folder, "backups"),
      join(folder, "heads.jsonl"),
    ]);
    expect(config.auditKeyFile()).toBe(join(folder, "audit.key"));
    expect(config.tlsFiles()).toEqual({
      cert: join(folder, "tls", "cert.pem"),
      key: join(folder, "tls", "key.pem"),
    });
    expect(refusalOf(() => config.certificateAuthorities())).toContain(join(folder, "ca.pem"));
    expect(config.settings["root_key.command"]).toEqual([join(folder, "print-key"), "relative"]);
    const database = config.database();
    expect(parseDatabaseUrl(database?.url.reveal() ?? "").tls).toMatchObject({
      rootCert: join(folder, "ca one.pem"),
      cert: "/c.pem",
      key: join(folder, "c.key"),
    });
    expect(database?.passwordCommand).toEqual(["print-password", "relative"]);
  });

  test("for the secret of a worker", () => {
    const { home, file } = newHome(
      'workers: [{ id: own, http: { uri: "https://w.test", secret: "${file:own.secret}" } }]',
    );
    writeFileSync(join(dirname(file), "own.secret"), "s3cret\n");

    expect(loadConfig({ environment: { HOME: home } }).workers[0]?.secret?.reveal()).toBe("s3cret");
  });

  test("not with ~, nor for an absolute one", () => {
    const { home } = newHome("data_dir: ~/data\nbackup.folder: /srv/backups\n");
    const config = loadConfig({ environment: { HOME: home } });

    expect([config.dataFolder(), config.backupFolder()]).toEqual([join(home, "data"), "/srv/backups"]);
  });

  test("but those of flags and the environment are below the working directory", () => {
    const { home } = newHome("data_dir: data\n");
    const environment = { HOME: home, RUNTIME_BACKUP_FOLDER: "backups" };
    const config = loadConfig({ environment, flags: { data_dir: "other" } });

    expect([config.dataFolder(), config.backupFolder()]).toEqual([
      join(process.cwd(), "other"),
      join(process.cwd(), "backups"),
    ]);
  });
});
