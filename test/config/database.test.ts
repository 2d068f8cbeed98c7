// The settings of a PostgreSQL database: where they come from, what is shown of them, and which exclude each other.
import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redacted } from "../../src/base";
import { passwordInArgument, settingOf, withoutPassword } from "../../src/config";
import { checkFiles } from "../../src/checkup";
import { KEYS } from "../../src/config/keys";
import { loadConfig } from "../support/config";
import { load, newHome, refusalOf } from "./home";

const URL_WITH_PASSWORD = "postgres://runtime:s3cret@db1,db2/app?sslmode=require";
const PLAIN = "postgres://runtime@db1/app";

test("without a URL there is no database server", () => {
  expect(load(undefined).database()).toBeUndefined();
});

test("the URL is shown without its password, and is whole where it is used", () => {
  for (const config of [
    load(undefined, { RUNTIME_DATABASE_URL: URL_WITH_PASSWORD }),
    load(`database:\n  url: ${URL_WITH_PASSWORD}\n`),
  ]) {
    expect(config.settings["database.url"]).toBe("postgres://runtime:***@db1,db2/app?sslmode=require");
    expect(config.explicitSettings()["database.url"]).toBe(config.settings["database.url"]);
    expect(config.database()?.url.reveal()).toBe(URL_WITH_PASSWORD);
    expect(Bun.inspect(config, { depth: 10 })).not.toContain("s3cret");
    expect(JSON.stringify(config)).not.toContain("s3cret");
  }
});

test("the other URLs default to it", () => {
  const { url, migrateUrl, listenUrl } = load(undefined, { RUNTIME_DATABASE_URL: PLAIN }).database() ?? {};

  expect([url, migrateUrl, listenUrl].map((each) => each?.reveal())).toEqual([PLAIN, PLAIN, PLAIN]);
});

test("all settings are read", () => {
  const { home } = newHome();
  const yaml = [
    "database:",
    `  url: ${PLAIN}`,
    "  password_file: ~/db.password",
    "  migrate_url: postgres://owner:s3cret@db1/app",
    "  listen_url: postgres://runtime@db1:5433/app",
    "  schema: tools",
    "  connections: 3",
    "  prepared_statements: false",
  ];

  const database = load(`${yaml.join("\n")}\n`, {
    HOME: home,
    RUNTIME_CONFIG: newHome(yaml.join("\n")).file,
  });

  expect(database.database()).toEqual({
    url: new Redacted(PLAIN),
    migrateUrl: new Redacted("postgres://owner:s3cret@db1/app"),
    listenUrl: new Redacted("postgres://runtime@db1:5433/app"),
    passwordFile: join(home, "db.password"),
    passwordCommand: undefined,
    schema: "tools",
    connections: 3,
    preparedStatements: false,
    secretFiles: [join(home, "db.password")],
  });
  expect(database.database()?.migrateUrl.reveal()).toBe("postgres://owner:s3cret@db1/app");
  expect(database.settings["database.migrate_url"]).toBe("postgres://owner:***@db1/app");
});

describe("a flag", () => {
  test("names the database", () => {
    const config = load(
      undefined,
      { RUNTIME_DATABASE_URL: URL_WITH_PASSWORD },
      { flags: { "database.url": PLAIN } },
    );

    expect(config.database()?.url.reveal()).toBe(PLAIN);
    expect(config.originOf("database.url")).toBe("flag --database");
  });

  test("with a password is refused, with where to put it", () => {
    const refusal = refusalOf(() => load(undefined, {}, { flags: { "database.url": URL_WITH_PASSWORD } }));

    expect(refusal).toBe(
      "--database: The database URL contains a password, and other users of this machine can see arguments. Leave the " +
        "password out, and put it into a file that database.password_file names, or the whole URL into RUNTIME_DATABASE_URL.",
    );
    expect(passwordInArgument("database.url")).toBe(refusal.slice("--database: ".length));
  });
});

test("a value with a password is refused for `config set`, which takes it from the command line", () => {
  expect(settingOf(KEYS, "database.url", PLAIN)).toBe(PLAIN);
  for (const name of ["database.url", "database.migrate_url", "database.listen_url"])
    expect(refusalOf(() => settingOf(KEYS, name, URL_WITH_PASSWORD))).not.toContain("s3cret");
});

test.each([
  ["RUNTIME_DATABASE_URL", "mysql://u:s3cret@db1/app", '"database.url" must be a URL such as postgres://'],
  ["RUNTIME_DATABASE_URL", "postgres://u:s3cret@a@db1/app", "an @ behind the credentials"],
  ["RUNTIME_DATABASE_MIGRATE_URL", "postgres://u:s3cret@db1:x/app", "a port of host 1"],
  ["RUNTIME_DATABASE_LISTEN_URL", "postgres://u:s3cret@db1/app?sslmode=maybe", "a value of sslmode"],
  ["RUNTIME_DATABASE_SCHEMA", "pg_tools", '"database.schema" must be a name of lower-case letters'],
  ["RUNTIME_DATABASE_SCHEMA", 'a"b', '"database.schema" must be a name of lower-case letters'],
  ["RUNTIME_DATABASE_SCHEMA", "a".repeat(51), '"database.schema" must be a name of lower-case letters'],
  ["RUNTIME_DATABASE_CONNECTIONS", "1", '"database.connections" must be a number, 2 to 500'],
  ["RUNTIME_DATABASE_PASSWORD_COMMAND", "vault read", '"database.password_command" must be a list'],
])("%s=%s is refused", (variable, text, expected) => {
  const refusal = refusalOf(() => load(undefined, { [variable]: text }));

  expect(refusal).toStartWith(variable);
  expect(refusal).toContain(expected);
  expect(refusal).not.toContain("s3cret");
});

test("a mistake in the file is reported with its key and without the password", () => {
  const refusal = refusalOf(() => load("database:\n  url: postgres://u:s3cret@db1/app?ssl=1\n"));

  expect(refusal).toContain("runtime.yaml");
  expect(refusal).toContain("the parameter ssl, which is not supported");
  expect(refusal).not.toContain("s3cret");
});

describe("settings exclude each other:", () => {
  test.each([
    [
      { RUNTIME_DATABASE_URL: URL_WITH_PASSWORD, RUNTIME_DATABASE_PASSWORD_FILE: "/p" },
      "a password in database.url and database.password_file are set. Keep the one that has the password.",
    ],
    [
      {
        RUNTIME_DATABASE_URL: PLAIN,
        RUNTIME_DATABASE_PASSWORD_FILE: "/p",
        RUNTIME_DATABASE_PASSWORD_COMMAND: '["vault"]',
      },
      "database.password_file and database.password_command are set. Keep the one that has the password.",
    ],
    [
      { RUNTIME_DATABASE_PASSWORD_FILE: "/p" },
      "database.password_file is set but database.url is not. Set database.url too, or remove database.password_file.",
    ],
    [
      { RUNTIME_DATABASE_MIGRATE_URL: PLAIN },
      "database.migrate_url is set but database.url is not. Set database.url too, or remove database.migrate_url.",
    ],
  ])("%j", (environment, expected) => {
    const config = load(undefined, environment);

    expect(refusalOf(() => config.database())).toBe(expected);
  });
});

test("a password that other users can read in the configuration file is a finding of the doctor", () => {
  const yaml = "database:\n  url: postgres://runtime:s3cret@db1/app\n";
  const { home, file } = newHome(yaml);
  const problems = (): string[] =>
    checkFiles(loadConfig({ environment: { HOME: home } }))
      .filter(({ check }) => check === "configuration file")
      .map(({ message, fix }) => `${message} ${fix}`);

  chmodSync(file, 0o644);
  expect(problems()).toEqual([
    `Other users can read the password of the database in ${file} (mode 0644). Run: chmod 600 ${file}. Then change the password.`,
  ]);
  chmodSync(file, 0o600);
  expect(problems()).toEqual([]);
  writeFileSync(file, `database:\n  url: ${PLAIN}\n`);
  chmodSync(file, 0o644);
  expect(problems()).toEqual([]);
});

test("the keys of client certificates are files with secrets", () => {
  const url = (name: string): string => `${PLAIN}?sslcert=/etc/${name}.pem&sslkey=/etc/${name}.key`;
  const config = load(undefined, { RUNTIME_DATABASE_URL: url("a"), RUNTIME_DATABASE_MIGRATE_URL: url("b") });

  expect(config.database()?.secretFiles).toEqual(["/etc/a.key", "/etc/b.key"]);
});

test("a URL without a password stays as it is", () => {
  expect(withoutPassword(PLAIN)).toBe(PLAIN);
});
