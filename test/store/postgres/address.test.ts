// The URL of a database, as libpq reads it, and how TLS is used with each of its hosts.
import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { parseDatabaseUrl, shownDatabase, type TlsMode, withoutPassword } from "../../../src/config";
import { hostTlsOf, tlsModeOf } from "../../../src/store/postgres/address";
import { refusalOf } from "../../config/home";
import { temporaryFolder } from "../../support/temporary";

const PEM = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";

function hostsOf(url: string): (string | number | undefined)[][] {
  return parseDatabaseUrl(url).hosts.map(({ host, port, socket }) => [host, port, socket]);
}

describe("the hosts of", () => {
  const socket = "/run/postgresql/.s.PGSQL.5432";
  test.each<[string, (string | number | undefined)[][]]>([
    ["postgres://db1/app", [["db1", 5432, undefined]]],
    ["postgresql://u@db1:6432/app", [["db1", 6432, undefined]]],
    [
      "postgres://u@h1:1,h2:2,h3/db",
      [
        ["h1", 1, undefined],
        ["h2", 2, undefined],
        ["h3", 5432, undefined],
      ],
    ],
    ["postgres://[2001:db8::1]:5433/app", [["2001:db8::1", 5433, undefined]]],
    ["postgres://[::1]/app", [["::1", 5432, undefined]]],
    ["postgres://%2Frun%2Fpostgresql/db", [["/run/postgresql", 5432, socket]]],
    [
      "postgres://u@%2Frun%2Fpostgresql:6000/db",
      [["/run/postgresql", 6000, "/run/postgresql/.s.PGSQL.6000"]],
    ],
    ["postgres:///db?host=/run/postgresql", [["/run/postgresql", 5432, socket]]],
    ["postgres://u@/db?host=/run/postgresql/&port=5432", [["/run/postgresql/", 5432, socket]]],
    [
      "postgres:///db?host=h1,h2&port=7",
      [
        ["h1", 7, undefined],
        ["h2", 7, undefined],
      ],
    ],
    [
      "postgres:///db?host=h1,h2&port=7,8",
      [
        ["h1", 7, undefined],
        ["h2", 8, undefined],
      ],
    ],
    ["postgres:///db", [["/var/run/postgresql", 5432, "/var/run/postgresql/.s.PGSQL.5432"]]],
    ["postgres://db1:/app", [["db1", 5432, undefined]]],
  ])("%s", (url, expected) => {
    expect(hostsOf(url)).toEqual(expected);
  });
});

describe("the user, the password and the database", () => {
  test("are decoded", () => {
    const { user, password, database } = parseDatabaseUrl(
      "postgres://a%40b:p%40%2F%3A%25%20%C3%A9@db1/my%2Dapp",
    );

    expect([user, password?.reveal(), database]).toEqual(["a@b", "p@/:% é", "my-app"]);
  });

  test.each(["p:q", "p?q", "p#q", "p[q]", "p&q=r", "p=q"])("may contain %s unescaped", (text) => {
    const { password, hosts } = parseDatabaseUrl(`postgres://u:${text}@db1/app`);

    expect([password?.reveal(), hosts.length, hosts[0]?.host]).toEqual([text, 1, "db1"]);
  });

  test("default to the user of the system and to a database with the user's name", () => {
    expect(parseDatabaseUrl("postgres://db1")).toMatchObject({
      user: userInfo().username,
      database: userInfo().username,
    });
    expect(parseDatabaseUrl("postgres://u@db1/").database).toBe("u");
  });

  test("an empty password is none", () => {
    expect(parseDatabaseUrl("postgres://u:@db1/app").password).toBeUndefined();
  });
});

test("parameters have libpq's names and values", () => {
  const query =
    "sslmode=verify-ca&sslrootcert=/ca.pem&sslcert=/c%20d.pem&sslkey=/k.pem&channel_binding=require&target_session_attrs=any&connect_timeout=9";

  expect(parseDatabaseUrl(`postgres://u@db1/app?${query}`)).toMatchObject({
    tls: {
      mode: "verify-ca",
      rootCert: "/ca.pem",
      cert: "/c d.pem",
      key: "/k.pem",
      channelBinding: "require",
    },
    target: "any",
    connectTimeoutMs: 9000,
  });
});

test("parameters have defaults", () => {
  expect(parseDatabaseUrl("postgres://u@db1/app?")).toMatchObject({
    tls: { mode: undefined, channelBinding: "prefer" },
    target: "read-write",
    connectTimeoutMs: 5000,
  });
});

// Each has a password, or a piece of one where an unescaped character makes it something else.
const SECRET = "s3cret";
describe("a URL is refused with the faulty part and without its password:", () => {
  test.each([
    [`mysql://u:${SECRET}@db1/app`, "must start with postgres://"],
    [SECRET, "must start with postgres://"],
    [`postgres://u:${SECRET} @db1/app`, "a space or a control character"],
    [`postgres://u:${SECRET}@db1/app\n`, "a space or a control character"],
    [`postgres://u:x@${SECRET}@db1/app`, "an @ behind the credentials"],
    [`postgres://u:x/${SECRET}@db1/app`, "an @ behind the credentials"],
    [`postgres://u:${SECRET}/x@db1/app`, "an @ behind the credentials"],
    [`postgres://u:1/${SECRET}?x@db1/app`, "an @ behind the credentials"],
    [`postgres://u:${SECRET}/db1/app`, "a / in the database name"],
    [`postgres://u:${SECRET}`, "a port of host 1"],
    [`postgres://u:${SECRET}@db1:0/app`, "a port of host 1"],
    [`postgres://u:${SECRET}@db1,db2:65536/app`, "a port of host 2"],
    [`postgres://u:${SECRET}@db1:5432a/app`, "a port of host 1"],
    [`postgres://u:${SECRET}@db1:1:2/app`, "at host 1"],
    [`postgres://u:${SECRET}@2001:db8::1/app`, "at host 1"],
    [`postgres://u:${SECRET}@[::1/app`, "at host 1"],
    [`postgres://u:${SECRET}@[db1]/app`, "at host 1"],
    [`postgres://u:${SECRET}@d$b/app`, "a host 1"],
    [`postgres://${SECRET}$/app`, "a host 1"],
    [`postgres://u:${SECRET}%zz@db1/app`, "a password with a %"],
    [`postgres://u:${SECRET}%00@db1/app`, "a password that contains a NUL"],
    [`postgres://u%:${SECRET}@db1/app`, "a user name with a %"],
    [`postgres://u:${SECRET}@db1/app?sslmode=allow`, "a value of sslmode that is not supported"],
    [`postgres://u:${SECRET}@db1/app?sslmode=on`, "disable, prefer, require, verify-ca, verify-full"],
    [`postgres://u:${SECRET}@db1/app?sslmode=verify-ca`, "without sslrootcert"],
    [`postgres://u:${SECRET}@db1/app?sslmode=require&sslrootcert=system`, "need sslmode=verify-full"],
    [`postgres://u:${SECRET}@db1/app?sslcert=/c`, "only one of sslcert and sslkey"],
    [`postgres://u:${SECRET}@db1/app?sslkey=/k`, "only one of sslcert and sslkey"],
    [`postgres://u:${SECRET}@db1/app?target_session_attrs=standby`, "read-write, primary, any"],
    [`postgres://u:${SECRET}@db1/app?connect_timeout=0`, "connect_timeout"],
    [`postgres://u:${SECRET}@db1/app?connect_timeout=301`, "connect_timeout"],
    [`postgres://u:${SECRET}@db1/app?connect_timeout=1.5`, "connect_timeout"],
    [`postgres://u:${SECRET}@db1/app?sslmode=require&sslmode=disable`, "sslmode twice"],
    [`postgres://u:${SECRET}@db1/app?sslmode`, "no value for the parameter sslmode"],
    [`postgres://u:${SECRET}@db1/app?options=-c%20x`, "the parameter options, which is not supported"],
    [`postgres://u@db1/app?password=${SECRET}`, "USER:PASSWORD@HOST"],
    [`postgres://u@db1/app?${SECRET}=1`, "the parameter number 1"],
    [`postgres://u@db1/app?host=${SECRET}`, "in the parameters host or port"],
    [`postgres://u:${SECRET}@/app?host=a,b,c&port=1,2`, "another number of ports than of hosts"],
  ])("%s", (url, expected) => {
    const refusal = refusalOf(() => parseDatabaseUrl(url));

    expect(refusal).toContain(expected);
    expect(refusal).not.toContain(SECRET);
  });
});

test("an unknown parameter is refused with the list of known ones", () => {
  expect(refusalOf(() => parseDatabaseUrl("postgres://u@db1/app?application_name=x"))).toEndWith(
    "Parameters are: host, port, sslmode, sslrootcert, sslcert, sslkey, channel_binding, target_session_attrs, connect_timeout.",
  );
});

test("what is shown has hosts, database and user, and no password", () => {
  expect(shownDatabase(parseDatabaseUrl(`postgres://u:${SECRET}@db1,[::1]:6/app`))).toBe(
    "db1:5432,[::1]:6, database app, user u",
  );
});

describe("the password is taken out of", () => {
  test.each([
    [`postgres://u:${SECRET}@db1/app`, "postgres://u:***@db1/app"],
    [`postgres://u:x@${SECRET}@db1/app`, "postgres://u:***@db1/app"],
    [`postgres://u:x/${SECRET}@db1/app`, "postgres://u:***@db1/app"],
    [`postgres://:${SECRET}@db1/app`, "postgres://:***@db1/app"],
    ["postgres://u@db1/app?sslmode=require", "postgres://u@db1/app?sslmode=require"],
    ["postgres://db1:5432,db2/app", "postgres://db1:5432,db2/app"],
  ])("%s", (url, expected) => {
    expect(withoutPassword(url)).toBe(expected);
  });
});

describe("TLS", () => {
  test.each<[string, TlsMode]>([
    ["postgres://db1/app", "verify-full"],
    ["postgres://10.0.0.1/app", "verify-full"],
    ["postgres://localhost/app", "prefer"],
    ["postgres://127.0.0.1/app", "prefer"],
    ["postgres://[::1]/app", "prefer"],
    ["postgres://localhost/app?sslrootcert=/ca.pem", "verify-full"],
    ["postgres://localhost.example.com/app", "verify-full"],
    ["postgres:///app", "disable"],
    ["postgres:///app?sslmode=verify-full", "disable"],
    ["postgres://db1/app?sslmode=disable", "disable"],
    ["postgres://db1/app?sslmode=require", "require"],
    // libpq: "root certificates make require the same as verify-ca".
    ["postgres://db1/app?sslmode=require&sslrootcert=/ca.pem", "verify-ca"],
    ["postgres://db1/app?sslrootcert=system", "verify-full"],
  ])("of %s is %s", (url, mode) => {
    const { hosts, tls } = parseDatabaseUrl(url);

    expect(hosts.map((host) => tlsModeOf(host, tls))).toEqual([mode]);
  });

  const read = (url: string) => {
    const { hosts, tls } = parseDatabaseUrl(url);
    const [host] = hosts;
    if (host === undefined) throw new Error("there is no host");
    return hostTlsOf(host, tls);
  };

  test("reads its files at each connect", async () => {
    const folder = temporaryFolder();
    const [ca, cert, key] = ["ca", "cert", "key"].map((name) => join(folder, name));
    for (const file of [ca, cert, key]) writeFileSync(file ?? "", PEM, { mode: 0o600 });
    const url = `postgres://db1/app?sslrootcert=${ca}&sslcert=${cert}&sslkey=${key}`;

    expect(await read(url)).toEqual({ mode: "verify-full", ca: PEM, client: { cert: PEM, key: PEM } });
    writeFileSync(ca ?? "", `${PEM}${PEM}`);
    expect((await read(url)).ca).toBe(PEM + PEM);
  });

  test("refuses a key that others can read", async () => {
    const file = join(temporaryFolder(), "key");
    writeFileSync(file, PEM);
    chmodSync(file, 0o644);

    await expect(read(`postgres://db1/app?sslcert=${file}&sslkey=${file}`)).rejects.toThrow(
      `Other users can read or replace the sslkey ${file} of the database URL (mode 0644). Run: chmod 600 ${file}`,
    );
  });

  test("refuses a file that does not exist", async () => {
    await expect(read("postgres://db1/app?sslrootcert=/nothing/ca.pem")).rejects.toThrow(
      "The sslrootcert /nothing/ca.pem of the database URL cannot be read.",
    );
  });

  test("refuses a file that is not PEM", async () => {
    const file = join(temporaryFolder(), "ca");
    writeFileSync(file, "DER");

    await expect(read(`postgres://db1/app?sslrootcert=${file}`)).rejects.toThrow("is not in the format PEM");
  });
});
