// Precedence of flags, environment, file and defaults, and the origin of each value.
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ConfigSources, type Environment, loadConfig } from "../../src/config";
import { temporaryFolder } from "../support/temporary";
import { load, newHome, refusalOf } from "./home";

describe("precedence", () => {
  const yaml = "port: 3";
  const environment = { RUNTIME_PORT: "2" };
  const flags = { port: "1" };

  test.each<[string, string | undefined, Environment, ConfigSources["flags"], number, RegExp]>([
    ["a flag wins over all", yaml, environment, flags, 1, /^flag --port$/],
    ["the environment wins over the file", yaml, environment, {}, 2, /^environment RUNTIME_PORT$/],
    ["the file wins over the default", yaml, {}, {}, 3, /^file \/.*\/\.config\/runtime\/runtime\.yaml$/],
    ["the default is last", undefined, {}, {}, 9099, /^default$/],
    ["a flag wins without a file", undefined, environment, flags, 1, /^flag --port$/],
    ["a flag that was not given counts for nothing", yaml, {}, { port: undefined }, 3, /^file /],
  ])("%s", (_rule, content, variables, given, port, origin) => {
    const config = load(content, variables, { flags: given ?? {} });

    expect([config.settings.port, config.originOf("port")]).toEqual([port, expect.stringMatching(origin)]);
  });

  test("is decided for each key", () => {
    const config = load(
      "port: 3\nhost: file.test\nproject: file",
      { RUNTIME_HOST: "env.test" },
      { flags: { port: "1" } },
    );

    expect(config.settings).toMatchObject({ port: 1, host: "env.test", project: "file" });
    expect(config.originOf("user")).toBe("default");
  });

  test("an empty list in the environment replaces the list of the file", () => {
    const config = load("egress:\n  allow: [loopback]", { RUNTIME_EGRESS_ALLOW: "" });

    expect([config.settings["egress.allow"], config.originOf("egress.allow")]).toEqual([
      [],
      "environment RUNTIME_EGRESS_ALLOW",
    ]);
  });

  test("a flag with dots and underscores has dashes in its origin", () => {
    const config = load(undefined, {}, { flags: { "http.body_limit": "2048" } });

    expect(config.originOf("http.body_limit")).toBe("flag --http-body-limit");
  });
});

describe("the configuration file", () => {
  function otherFile(): string {
    const file = join(temporaryFolder(), "other.yaml");
    writeFileSync(file, "port: 7");
    return file;
  }

  test("--config wins over RUNTIME_CONFIG", () => {
    const file = otherFile();
    const config = load("port: 3", { RUNTIME_CONFIG: "/nowhere.yaml" }, { configFile: file });

    expect([config.settings.port, config.file]).toEqual([7, file]);
  });

  test("RUNTIME_CONFIG wins over the configuration folder", () => {
    const file = otherFile();
    const config = load("port: 3", { RUNTIME_CONFIG: file });

    expect([config.settings.port, config.file]).toEqual([7, file]);
  });

  test("an empty RUNTIME_CONFIG is ignored", () => {
    expect(load("port: 3", { RUNTIME_CONFIG: "" }).settings.port).toBe(3);
  });

  test("is never the runtime.yaml of the current folder", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "runtime.yaml"), "port: 7");
    const script = `
      import { loadConfig } from ${JSON.stringify(require.resolve("../../src/config"))};
      console.log(loadConfig({ environment: { HOME: ${JSON.stringify(temporaryFolder())} } }).settings.port);
    `;
    const { stdout } = Bun.spawnSync([process.execPath, "-e", script], { cwd: folder });

    expect(stdout.toString().trim()).toBe("9099");
  });

  test("must exist if --config or RUNTIME_CONFIG names it", () => {
    const file = join(temporaryFolder(), "absent.yaml");
    const expected = `${file}: the configuration file does not exist.`;

    expect(refusalOf(() => load(undefined, {}, { configFile: file }))).toBe(expected);
    expect(refusalOf(() => load(undefined, { RUNTIME_CONFIG: file }))).toBe(expected);
  });
});

describe("default folders", () => {
  test("are the XDG folders below the home folder", () => {
    const { home } = newHome();
    const config = loadConfig({ environment: { HOME: home } });

    expect([config.file, config.dataFolder(), config.defaultRootKeyFile()]).toEqual([
      join(home, ".config/runtime/runtime.yaml"),
      join(home, ".local/share/runtime"),
      join(home, ".config/runtime/root.key"),
    ]);
  });

  test("contain the root key next to the file that --config names", () => {
    const file = join(temporaryFolder(), "other.yaml");
    writeFileSync(file, "");

    expect(load(undefined, {}, { configFile: file }).defaultRootKeyFile()).toBe(join(file, "../root.key"));
  });

  test.each<[string, Environment]>([
    ["unset", {}],
    ["/", { HOME: "/" }],
    ["empty", { HOME: "" }],
    ["relative", { HOME: "home" }],
  ])("with HOME %s: defaults load, and who needs a folder is told what to set", (_home, environment) => {
    const config = loadConfig({ environment });

    expect([config.settings.port, config.file]).toEqual([9099, undefined]);
    expect(refusalOf(() => config.dataFolder())).toBe(
      "There is no home folder for the data. Set --data-dir or RUNTIME_DATA_DIR.",
    );
    expect(refusalOf(() => config.defaultRootKeyFile())).toMatch(
      /^There is no home folder for the root key\. Set RUNTIME_ROOT_KEY, .*RUNTIME_CONFIG\.$/,
    );
  });

  test("without HOME a data folder can be set", () => {
    expect(loadConfig({ environment: { RUNTIME_DATA_DIR: "/srv/data" } }).dataFolder()).toBe("/srv/data");
  });

  test("are not read or created below a home folder that does not exist", () => {
    const home = join(temporaryFolder(), "nobody");
    const config = loadConfig({ environment: { HOME: home } });

    expect([config.settings.port, config.dataFolder()]).toEqual([9099, join(home, ".local/share/runtime")]);
  });

  test.each<[string, Environment, ConfigSources["flags"]]>([
    ["flag", {}, { data_dir: "~/data" }],
    ["variable", { RUNTIME_DATA_DIR: "~/data" }, {}],
  ])("a data folder of a %s may begin with ~", (_source, environment, flags) => {
    const { home } = newHome();
    const config = loadConfig({ environment: { HOME: home, ...environment }, flags: flags ?? {} });

    expect(config.dataFolder()).toBe(join(home, "data"));
  });

  test("a configuration file may begin with ~", () => {
    const { home } = newHome();
    writeFileSync(join(home, "my.yaml"), "port: 7");

    expect(loadConfig({ environment: { HOME: home, RUNTIME_CONFIG: "~/my.yaml" } }).settings.port).toBe(7);
  });
});

describe("unknown variables", () => {
  test("that resemble none are refused without a suggestion", () => {
    expect(refusalOf(() => load(undefined, { RUNTIME_FOO: "secret-value" }))).toBe(
      "environment: unknown variable RUNTIME_FOO",
    );
  });

  test.each([
    ["RUNTIME_PROT", "RUNTIME_PORT"],
    ["RUNTIME_EGRES_ALLOW", "RUNTIME_EGRESS_ALLOW"],
    ["RUNTIME_CONFG", "RUNTIME_CONFIG"],
    ["RUNTIME_DATADIR", "RUNTIME_DATA_DIR"],
  ])("%s is refused, and %s suggested", (variable, suggestion) => {
    expect(refusalOf(() => load(undefined, { [variable]: "secret-value" }))).toBe(
      `environment: unknown variable ${variable}; did you mean ${suggestion}?`,
    );
  });

  test("are refused without a suggestion if no name is similar", () => {
    expect(refusalOf(() => load(undefined, { RUNTIME_SOMETHING_ELSE_ENTIRELY: "1" }))).toBe(
      "environment: unknown variable RUNTIME_SOMETHING_ELSE_ENTIRELY",
    );
  });

  test("of other programs and of our tests are ignored", () => {
    const environment = { PATH: "/bin", RUNTIMES: "x", MY_RUNTIME_PORT: "x", RUNTIME_TEST_REQUIRE: "all" };

    expect(load(undefined, environment).settings.port).toBe(9099);
  });
});

describe("the root key", () => {
  const environment = { RUNTIME_ROOT_KEY: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" };

  test("comes from the environment, redacted", () => {
    const config = load(undefined, environment);

    expect([config.rootKey?.reveal(), config.originOf("root_key")]).toEqual([
      environment.RUNTIME_ROOT_KEY,
      "environment RUNTIME_ROOT_KEY",
    ]);
  });

  test("is not one of the settings and is never printed", () => {
    const config = load(undefined, environment);
    const printed = `${JSON.stringify(config)} ${Bun.inspect(config, { depth: 9 })} ${Object.keys(config.settings).join()}`;

    expect(printed).toContain("9099");
    expect(printed).not.toContain("AAECAwQ");
    expect(printed).not.toContain("root_key,");
  });

  test("is refused with the variable's name if it is empty", () => {
    expect(refusalOf(() => load(undefined, { RUNTIME_ROOT_KEY: "" }))).toContain("RUNTIME_ROOT_KEY");
  });
});

test("a folder in place of the configuration file is refused with its path", () => {
  const { home, file } = newHome();
  mkdirSync(file, { recursive: true });

  expect(refusalOf(() => loadConfig({ environment: { HOME: home } }))).toBe(
    `${file}: the configuration file cannot be read.`,
  );
});
