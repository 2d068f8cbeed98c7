// `runtime doctor` on installations with one problem each: it reports the problem and a fix.
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Finding } from "../../../src/checkup";
import { jsonOf, newTerminal } from "../support/fake-io";
import { startIdp } from "../../standards/idp";
import { type Certificate, makeCertificate } from "../../support/certificates";

const certificates = mkdtempSync(join(tmpdir(), "runtime-test-"));
afterAll(() => rmSync(certificates, { recursive: true }));

const PROVIDER = {
  id: "idp",
  oauth2: {
    client_id: "c",
    authorize_request: { endpoint: "http://127.0.0.1:1/authorize" },
    token_request: { endpoint: "http://127.0.0.1:1/token" },
  },
};

/** A correct installation with a key, on a free port. */
async function installed() {
  const free = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const port = String(free.port);
  await free.stop(true);
  const terminal = newTerminal({ RUNTIME_PORT: port });
  await terminal.run(["keys", "create", "agent"]);
  const data = join(terminal.home, ".local/share/runtime");
  const key = join(terminal.home, ".config/runtime/root.key");
  const provider = (environment: Record<string, string> = {}) =>
    terminal.run(["providers", "create", "--file", "-"], {
      stdin: JSON.stringify(PROVIDER),
      env: { RUNTIME_EGRESS_ALLOW: "loopback", ...environment },
    });
  return { ...terminal, data, key, database: join(data, "runtime.db"), provider, port };
}

const pair = (name: string): Certificate => makeCertificate(certificates, name);

/** Answers every request with an error. */
const broken = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => new Response("broken", { status: 500 }),
});
afterAll(async () => {
  broken.stop(true);
  await slashed[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

function webhook(run: Installed["run"], failureMode: string, url: string) {
  const flags = ["--pre", url, "--failure-mode", failureMode, "--status", "active"];
  return run(["plugins", "create", "policy", ...flags], { env: { RUNTIME_EGRESS_ALLOW: "loopback" } });
}

/** A provider whose servers answer, but for what is given. */
function providerWith(run: Installed["run"], requests: object, more: object = {}) {
  const endpoint = `${broken.url.origin}/oauth`;
  const oauth2 = {
    client_id: "c",
    authorize_request: { endpoint },
    token_request: { endpoint },
    ...requests,
  };
  return run(["providers", "create", "--file", "-"], {
    stdin: JSON.stringify({ id: "answering", oauth2, ...more }),
    env: { RUNTIME_EGRESS_ALLOW: "loopback" },
  });
}

function recordsProvider(run: Installed["run"]) {
  return providerWith(
    run,
    { refresh_request: { endpoint: `${broken.url.origin}/oauth` } },
    { provider_id: "zoho" },
  );
}

type Installed = Awaited<ReturnType<typeof installed>>;

test("finds no problems in a correct installation", async () => {
  const { run } = await installed();

  const { code, stdout, stderr } = await run(["doctor"]);

  expect([code, stdout]).toEqual([0, ""]);
  expect(stderr).toContain("No problems found");
});

test("creates nothing and finds no problems on a new machine", async () => {
  const { run, home } = newTerminal({ RUNTIME_PORT: "0" });

  const { code } = await run(["doctor", "--all"]);

  expect(code).toBe(0);
  expect([...new Bun.Glob("**").scanSync({ cwd: home, dot: true })]).toEqual([]);
});

test("finds no problem after a rotation, and none if its key is only in the prepared file", async () => {
  const { run, key } = await installed();
  await run(["keys", "rotate-root", "--yes"]);
  expect((await run(["doctor"])).stderr).toContain("No problems found");
  rmSync(key);

  expect((await run(["doctor"])).stderr).toContain("No problems found");
});

test("a verifier that this machine may not call is not a problem", async () => {
  const { run } = await installed();
  await run(["keys", "create", "v", "--role", "verify"]);
  await run(["settings", "update", "--verifier-url", "http://127.0.0.1:1/verify"]);

  const { code, stdout } = await run(["doctor", "--all"]);

  expect(code).toBe(0);
  expect(stdout).toContain("verifier: http://127.0.0.1:1 was not called, because of egress.allow.");
});

interface Fault {
  name: string;
  plant(installation: Installed): unknown;
  env?: Record<string, string>;
  check: string;
  message: string;
  fix: string;
  status?: Finding["status"];
}

const slashed = startIdp({ issuer: "/" });
const other = startIdp({ issuer: "/other" });
const SOURCES = ["a", "b"].map((id) => ({ id, issuer: `https://${id}.test`, audience: "tools" }));

const FAULTS: Fault[] = [
  {
    name: "an admin key that an earlier version restricted to users",
    plant: async ({ run, database }) => {
      await run(["keys", "create", "old", "--user", "alice"]);
      const rows = new Database(database);
      rows.run("UPDATE api_keys SET role = 'admin', id = 'key_old' WHERE name = 'old'");
      rows.close();
    },
    check: "admin keys with users",
    message: "count as run: key_old (project default)",
    fix: "an admin key without users or a run key with them",
    status: "warning",
  },
  {
    name: "a verifier without a key of its own",
    plant: ({ run }) => run(["settings", "update", "--verifier-url", "http://127.0.0.1:1/verify"]),
    check: "key of the verifier",
    message: "no key has the role verify",
    fix: "runtime keys create verifier --role verify",
    status: "warning",
  },
  {
    name: "a gateway with a mistyped tool",
    plant: ({ run }) => {
      const gateway = { name: "G", slug: "g", auth_type: "arcade_header" };
      const tool_filter = { allowed_tools: ["Chat.SendMessage", "Chat.SendMesage"] };
      return run(["apply", "-f", "-"], {
        stdin: JSON.stringify({ gateways: [{ ...gateway, tool_filter }] }),
      });
    },
    check: "gateway g",
    message:
      "Chat.SendMesage is not a tool of this project and has no effect; did you mean Chat.SendMessage?",
    fix: "runtime gateways update g --tool NAME",
    status: "warning",
  },
  {
    name: "a verifier that is down",
    plant: async ({ run }) => {
      await run(["keys", "create", "v", "--role", "verify"]);
      await run(["settings", "update", "--verifier-url", "http://127.0.0.1:1/verify"]);
    },
    env: { RUNTIME_EGRESS_ALLOW: "loopback" },
    check: "verifier",
    message: "http://127.0.0.1:1 cannot be reached: ",
    fix: "runtime settings update --verifier-url URL",
  },
  {
    name: "a verifier that fails",
    plant: async ({ run }) => {
      await run(["keys", "create", "v", "--role", "verify"]);
      await run(["settings", "update", "--verifier-url", `${broken.url.origin}/verify`]);
    },
    env: { RUNTIME_EGRESS_ALLOW: "loopback" },
    check: "verifier",
    message: "answers with the status 500. Until it works, no consent can be completed.",
    fix: "start its server",
  },
  {
    name: "a secret with the address of a platform that is missing",
    plant: ({ run }) => recordsProvider(run),
    env: { RUNTIME_EGRESS_ALLOW: "loopback" },
    check: "platform of VendorCreatorApi",
    message: "need the secret VENDOR_SERVER_URL, which is not set",
    fix: "runtime secrets set VENDOR_SERVER_URL",
  },
  {
    name: "a secret with an address that is not one of the platform",
    plant: async ({ run }) => {
      await recordsProvider(run);
      await run(["secrets", "set", "VENDOR_SERVER_URL", "-"], { stdin: "https://elsewhere.example" });
    },
    env: { RUNTIME_EGRESS_ALLOW: "loopback" },
    check: "platform of VendorCreatorApi",
    message: "The secret VENDOR_SERVER_URL is not a known address of this platform.",
    fix: "https://www.zohoapis.com",
  },
  {
    name: "a server of a platform that a secret names",
    plant: async ({ run }) => {
      await recordsProvider(run);
      await run(["secrets", "set", "VENDOR_SERVER_URL", "-"], { stdin: "http://127.0.0.1:1" });
    },
    env: { RUNTIME_EGRESS_ALLOW: "loopback", RUNTIME_RECORDS_SERVER_URLS: "http://127.0.0.1:1" },
    check: "platform of VendorCreatorApi",
    message: "http://127.0.0.1:1 cannot be reached",
    fix: "firewall",
  },
  {
    name: "a token endpoint that only the refresh needs",
    plant: ({ run }) => providerWith(run, { refresh_request: { endpoint: "http://127.0.0.1:1/refresh" } }),
    env: { RUNTIME_EGRESS_ALLOW: "loopback" },
    check: "provider answering",
    message: "http://127.0.0.1:1 cannot be reached",
    fix: "firewall",
  },
  {
    name: "providers whose user ids may clash",
    plant: () => {},
    env: { RUNTIME_USER_SOURCES: JSON.stringify(SOURCES) },
    check: "user sources",
    message: "A user of a, b may have the same id as a user of another provider",
    fix: "user_prefix",
    status: "warning",
  },
  {
    name: "stored values that cannot be opened",
    plant: async ({ run, database }) => {
      for (const key of ["A", "B", "C", "D", "E", "F", "G"])
        await run(["secrets", "set", key, "-"], { stdin: "x" });
      const rows = new Database(database);
      const end = "substr(sealed_value, 1, length(sealed_value) - 8) || 'AAAAAAAA'";
      rows.run(`UPDATE secrets SET sealed_value = ${end} WHERE key <> 'G'`);
      rows.close();
    },
    check: "stored values",
    message: "6 of 7 cannot be opened: value of a in secrets, value of b in secrets",
    fix: "must consent again",
  },
  {
    name: "a mistyped variable",
    plant: () => {},
    env: { RUNTIME_PROT: "1" },
    check: "configuration",
    message: "unknown variable RUNTIME_PROT",
    fix: "run this again",
  },
  {
    name: "a data folder that is a file",
    plant: ({ data }) => {
      rmSync(data, { recursive: true });
      writeFileSync(data, "");
    },
    check: "data folder",
    message: "is not a folder",
    fix: "RUNTIME_DATA_DIR",
  },
  {
    name: "a data folder that other users can read",
    plant: ({ data }) => chmodSync(data, 0o755),
    check: "data folder",
    message: "Other users can read",
    fix: "chmod 700",
    status: "warning",
  },
  {
    name: "a damaged database",
    plant: ({ database }) => writeFileSync(database, "this is no database ".repeat(500)),
    check: "database",
    message: "is damaged",
    fix: "from a backup",
  },
  {
    name: "a database that cannot be checked, but is not damaged",
    plant: ({ database }) => {
      rmSync(database);
      mkdirSync(database);
    },
    check: "database",
    message: "cannot be checked",
    fix: "It is not known to be damaged",
  },
  {
    name: "a database of a newer version",
    plant: ({ database }) => {
      const opened = new Database(database);
      opened.run("INSERT INTO schema_migrations (version, name, applied_at) VALUES (999, 'later', '')");
      opened.close();
    },
    check: "start",
    message: "newer version",
    fix: "restore a backup",
  },
  {
    name: "files with old root keys that rotations left behind",
    plant: ({ key }) => {
      writeFileSync(`${key}.0123456789abcdef`, `${Buffer.alloc(32, 7).toString("base64")}\n`, {
        mode: 0o600,
      });
      utimesSync(`${key}.0123456789abcdef`, new Date(0), new Date(0));
      // A rotation that is running has a file like this one.
      writeFileSync(`${key}.fedcba9876543210`, `${Buffer.alloc(32, 8).toString("base64")}\n`, {
        mode: 0o600,
      });
    },
    check: "old root keys",
    message: "root.key.0123456789abcdef.",
    fix: "Delete them",
    status: "warning",
  },
  {
    name: "a missing root key",
    plant: ({ key }) => rmSync(key),
    check: "root key",
    message: "does not exist",
    fix: "Restore the root key",
  },
  {
    name: "another root key",
    plant: ({ key }) => writeFileSync(key, Buffer.alloc(32, 7).toString("base64")),
    check: "start",
    message: "is not the one",
    fix: "right key",
  },
  {
    name: "a root key that other users can read",
    plant: ({ key }) => chmodSync(key, 0o644),
    check: "root key",
    message: "Other users can read or replace",
    fix: "chmod 600",
  },
  {
    name: "a root key that its group can read",
    plant: ({ key }) => chmodSync(key, 0o640),
    check: "root key",
    message: "Other users can read",
    fix: "chmod 600",
    status: "warning",
  },
  {
    name: "a configuration folder that other users can write to",
    plant: ({ key }) => chmodSync(dirname(key), 0o777),
    check: "configuration folder",
    message: "(mode 0777)",
    fix: "chmod 700",
  },
  {
    name: "a configuration file that other users can write to",
    plant: ({ key }) => {
      writeFileSync(join(dirname(key), "runtime.yaml"), "user: alice\n");
      chmodSync(join(dirname(key), "runtime.yaml"), 0o666);
    },
    check: "configuration file",
    message: "Other users can change",
    fix: "chmod 600",
  },
  {
    name: "a webhook that is down while its hooks fail closed",
    plant: ({ run }) => webhook(run, "fail_closed", "http://127.0.0.1:1/pre"),
    env: { RUNTIME_EGRESS_ALLOW: "loopback" },
    check: "webhook policy",
    message: "its hooks are fail_closed, so tool calls fail (tool.pre: ",
    fix: "runtime plugins test pl_",
  },
  {
    name: "a webhook that is down while its hooks fail open",
    plant: ({ run }) => webhook(run, "fail_open", "http://127.0.0.1:1/pre"),
    env: { RUNTIME_EGRESS_ALLOW: "loopback" },
    check: "webhook policy",
    message: "tool calls continue without it",
    fix: "runtime plugins test pl_",
    status: "warning",
  },
  {
    name: "a webhook that answers nothing usable",
    plant: ({ run }) => webhook(run, "fail_closed", `${broken.url.origin}/pre`),
    env: { RUNTIME_EGRESS_ALLOW: "loopback" },
    check: "webhook policy",
    message: "so tool calls fail (tool.pre: ",
    fix: "runtime plugins test pl_",
  },
  {
    name: "a model server that cannot be reached",
    plant: ({ run }) =>
      run(
        [
          "models",
          "create",
          "local",
          "--type",
          "openai",
          "--model",
          "m",
          "--base-url",
          "http://127.0.0.1:1/v1",
        ],
        {
          env: { RUNTIME_EGRESS_ALLOW: "loopback" },
        },
      ),
    env: { RUNTIME_EGRESS_ALLOW: "loopback" },
    check: "model server local",
    message: "http://127.0.0.1:1 cannot be reached",
    fix: "firewall",
  },
  {
    name: "an identity provider that spells its issuer in another way",
    plant: () => {},
    env: {
      RUNTIME_EGRESS_ALLOW: "loopback",
      RUNTIME_AUTH_URL: slashed.origin,
      RUNTIME_AUTH_CLIENT_ID: "c",
    },
    check: "identity provider",
    message: `auth.url is ${slashed.origin}, but the provider spells its issuer ${slashed.issuer}`,
    fix: `Set auth.url to ${slashed.issuer}`,
    status: "warning",
  },
  {
    name: "an identity provider whose metadata is that of another issuer",
    plant: () => {},
    env: {
      RUNTIME_EGRESS_ALLOW: "loopback",
      RUNTIME_AUTH_URL: other.origin,
      RUNTIME_AUTH_CLIENT_ID: "c",
    },
    check: "identity provider",
    message: "is that of another issuer, ",
    fix: "Set auth.url to the issuer that you mean",
  },
  {
    name: "metadata of the identity provider that cannot be read",
    plant: () => {},
    env: {
      RUNTIME_EGRESS_ALLOW: "loopback",
      RUNTIME_AUTH_URL: broken.url.origin,
      RUNTIME_AUTH_CLIENT_ID: "c",
    },
    check: "identity provider",
    message: "/.well-known/openid-configuration answers with the status 500",
    fix: "issuer",
  },
  {
    name: "a platform that cannot be reached",
    plant: ({ run }) =>
      providerWith(
        run,
        { refresh_request: { endpoint: `${broken.url.origin}/oauth` } },
        { provider_id: "slack" },
      ),
    env: {
      RUNTIME_EGRESS_ALLOW: "loopback",
      RUNTIME_CHAT_API_URL: "http://127.0.0.1:1/api",
      HTTPS_PROXY: "",
    },
    check: "platform of Chat",
    message: "http://127.0.0.1:1 cannot be reached",
    fix: "firewall",
  },
  {
    name: "a root key in the data folder",
    plant: ({ key, data }) => cpSync(key, join(data, "root.key")),
    env: { RUNTIME_ROOT_KEY_FILE: "~/.local/share/runtime/root.key" },
    check: "root key",
    message: "is in the data folder",
    fix: "RUNTIME_ROOT_KEY_FILE",
    status: "warning",
  },
  {
    name: "a clock that was set back",
    plant: ({ database }) => {
      const opened = new Database(database);
      opened.run("UPDATE audit SET created_at = created_at + 7200000");
      opened.close();
    },
    check: "clock",
    message: "120 minutes in the future",
    fix: "time server",
  },
  {
    name: "a port that another program uses",
    plant: () => {},
    check: "port",
    message: "is in use by another program",
    fix: "RUNTIME_PORT",
  },
  {
    name: "an address of another machine",
    plant: () => {},
    env: {
      RUNTIME_HOST: "192.0.2.1",
      RUNTIME_BEHIND_PROXY: "true",
      RUNTIME_PUBLIC_URL: "http://127.0.0.1:9099",
    },
    check: "port",
    message: "is not an address of this machine",
    fix: "RUNTIME_HOST",
  },
  {
    name: "a redirect address in plain http",
    plant: () => {},
    env: { RUNTIME_PUBLIC_URL: "http://run.example", RUNTIME_SESSION_VERIFICATION: "page_only" },
    check: "redirect address",
    message: "providers refuse it",
    fix: "RUNTIME_PUBLIC_URL",
  },
  {
    name: "a public address without user verification",
    plant: () => {},
    env: { RUNTIME_PUBLIC_URL: "https://run.example" },
    check: "verification",
    message: "are not verified",
    fix: "session_verification",
  },
  {
    name: "a sign-in that cannot work",
    plant: () => {},
    env: { RUNTIME_SIGN_IN: "proxy" },
    check: "sign-in",
    message: "http.trusted_proxies is empty",
    fix: "RUNTIME_HTTP_TRUSTED_PROXIES",
  },
  {
    name: "a provider that cannot be reached",
    plant: ({ provider }) => provider(),
    env: { RUNTIME_EGRESS_ALLOW: "loopback" },
    check: "provider idp",
    message: "http://127.0.0.1:1 cannot be reached",
    fix: "firewall",
  },
  {
    name: "a provider whose address is refused",
    plant: ({ provider }) => provider(),
    check: "provider idp",
    message: "http://127.0.0.1:1 cannot be reached",
    fix: "RUNTIME_EGRESS_ALLOW",
  },
  {
    name: "no API key",
    plant: ({ run }) => run(["projects", "create", "sales"]),
    env: { RUNTIME_PROJECT: "sales" },
    check: "API keys",
    message: "no API key",
    fix: "runtime keys create",
  },
  {
    name: "a project that is not there",
    plant: () => {},
    env: { RUNTIME_PROJECT: "sales" },
    check: "project",
    message: 'no project "sales"',
    fix: "run this again",
  },
  ...(
    [
      ["a certificate that does not exist", { cert: "/nowhere/cert.pem" }, "cannot be read", "Correct it"],
      ["a certificate of another key", { key: pair("other").key }, "does not belong", "Correct it"],
      ["a certificate that ends in two days", {}, "expires at", "send SIGHUP"],
    ] as const
  ).map(([name, files, message, fix]): Fault => {
    const { cert, key } = { ...pair("good"), ...files };
    const env = {
      RUNTIME_TLS_CERT: cert,
      RUNTIME_TLS_KEY: key,
      RUNTIME_PUBLIC_URL: "https://127.0.0.1",
    };
    const status = name.endsWith("two days") ? "warning" : "problem";
    return { name, plant: () => undefined, env, check: "certificate", message, fix, status };
  }),
  {
    name: "a host for other machines without TLS",
    plant: () => undefined,
    env: { RUNTIME_HOST: "0.0.0.0", RUNTIME_PUBLIC_URL: "http://127.0.0.1" },
    check: "host",
    message: "can be reached from other machines",
    fix: "--tls-cert",
  },
  {
    name: "a trusted proxy that is not an address",
    plant: () => undefined,
    env: { RUNTIME_HTTP_TRUSTED_PROXIES: "foo" },
    check: "trusted proxies",
    message: 'the invalid entry "foo"',
    fix: "Use addresses",
  },
  {
    name: "a recipient of backups that is not a key",
    plant: () => undefined,
    env: { RUNTIME_BACKUP_RECIPIENTS: "age1abc" },
    check: "backup recipients",
    message: "backup.recipients: entry 1 is not a public key of age",
    fix: "age-keygen",
  },
  {
    name: "metrics on the port of the server",
    plant: () => undefined,
    env: { RUNTIME_PORT: "19099", RUNTIME_METRICS_LISTEN: "127.0.0.1:19099" },
    check: "metrics listener",
    message: "has the port of the server",
    fix: "Choose another one",
  },
  {
    name: "metrics on a port that is in use",
    plant: () => undefined,
    env: { RUNTIME_METRICS_LISTEN: broken.url.host },
    check: "metrics port",
    message: "is in use by another program",
    fix: "metrics.listen",
  },
  {
    name: "a file of signed heads that cannot be written",
    plant: () => undefined,
    env: { RUNTIME_AUDIT_HEADS_FILE: "/nowhere/heads.jsonl" },
    check: "audit.heads_file",
    message: "/nowhere/heads.jsonl cannot be written",
    fix: "Make it a file",
  },
  {
    name: "a collector of traces that does not answer",
    plant: () => undefined,
    env: { RUNTIME_TELEMETRY_OTLP_ENDPOINT: "http://127.0.0.1:1" },
    check: "trace collector",
    message: "http://127.0.0.1:1 cannot be reached",
    fix: "telemetry.otlp.endpoint",
    status: "warning",
  },
];

describe("reports", () => {
  test.each(FAULTS.map((fault) => [fault.name, fault] as const))("%s", async (name, fault) => {
    const installation = await installed();
    mkdirSync(installation.data, { recursive: true });
    await fault.plant(installation);
    const taken = name.startsWith("a port")
      ? Bun.serve({ port: Number(installation.port), hostname: "127.0.0.1", fetch: () => new Response() })
      : undefined;

    const ran = await installation.run(["doctor", "-o", "json"], { env: fault.env ?? {} });
    // Opening the database makes its folder private again.
    if (name.startsWith("a data folder that other users")) await fault.plant(installation);
    const forPeople = await installation.run(["doctor"], { env: fault.env ?? {} });
    await taken?.stop(true);

    const findings = jsonOf(ran) as unknown as Finding[];
    const { check, message, fix, status = "problem" } = fault;
    expect(findings.filter((finding) => finding.status !== "ok")).toEqual([
      { check, status, message: expect.stringContaining(message), fix: expect.stringContaining(fix) },
    ]);
    expect(ran.code).toBe(status === "problem" ? 1 : 0);
    expect(forPeople.stdout).toContain(message);
    expect(forPeople.stdout).toContain(fix);
  });
});

test("works on this machine and rejects --server", async () => {
  expect((await newTerminal().run(["doctor", "--server", "https://run.test"])).code).toBe(2);
});
