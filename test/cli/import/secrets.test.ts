// What counts as a secret in a client's file: names, texts, and what stays readable.
import { describe, expect, test } from "bun:test";
import { namesSecret, namesSecretOrAuth } from "../../../cli/import/secret-names";
import { Sealed } from "../../../cli/import/sealing";

describe("the name of a secret", () => {
  test.each([
    "GITHUB_TOKEN",
    "GITHUBTOKEN",
    "apiKey",
    "--api-key",
    "X-Api-Key",
    "PGPASSWORD",
    "DB_PASS",
    "client_secret",
    "AWS_SECRET_ACCESS_KEY",
    "CONNECTION_STRING",
    "SENTRY_DSN",
    "JIRA_PAT",
    "Cookie",
    "tavilyApiKey",
    "exaApiKey",
  ])("%s", (name) => expect(namesSecret(name)).toBe(true));

  test.each([
    "LOG_LEVEL",
    "MAX_TOKENS",
    "TOKEN_LIMIT",
    "KEY_FILE",
    "SSH_KEY_PATH",
    "KEYBOARD",
    "PATH",
    "AUTHOR",
    "MONKEY",
    "PASSENGER",
    "AUTH_TYPE",
    "--auth",
    "SECRET_NAME",
  ])("is not %s", (name) => expect(namesSecret(name)).toBe(false));

  test("may end with auth, but not as a flag", () => {
    expect(["X-Auth", "REGISTRY_AUTH"].map(namesSecretOrAuth)).toEqual([true, true]);
    expect(namesSecretOrAuth("AUTHOR")).toBe(false);
  });
});

/** Values of the right form that belong to nobody. */
const RANDOM = "q7Zt1LpX0vB8nKw3Rj5D";
const GITHUB = `ghp_${"a1B2c3D4e5".repeat(4)}`;

async function sealedArguments(words: readonly string[]) {
  const sealed = new Sealed(async () => true);
  const written: string[] = [];
  for (const [index, word] of words.entries())
    written.push(await sealed.argument(words[index - 1] ?? "", [{ text: word }]));
  return { written, values: sealed.values };
}

describe("in arguments", () => {
  test.each<[string[], string[], Record<string, string>]>([
    [["--api-key", "hunter2"], ["--api-key", "${secret:API_KEY}"], { API_KEY: "hunter2" }],
    [["--api-key=hunter2"], ["--api-key=${secret:API_KEY}"], { API_KEY: "hunter2" }],
    [["--token", "--verbose"], ["--token", "--verbose"], {}],
    [
      ["postgresql://bob:hunter2@db.internal:5432/app"],
      ["postgresql://bob:${secret:PASSWORD}@db.internal:5432/app"],
      { PASSWORD: "hunter2" },
    ],
    [["redis://:hunter2@db:6379"], ["redis://:${secret:PASSWORD}@db:6379"], { PASSWORD: "hunter2" }],
    [
      ["https://a.example/mcp?api_key=hunter2&page=2"],
      ["https://a.example/mcp?api_key=${secret:API_KEY}&page=2"],
      { API_KEY: "hunter2" },
    ],
    [
      ["--header", "Authorization: Bearer hunter22"],
      ["--header", "Authorization: Bearer ${secret:ARGUMENT}"],
      { ARGUMENT: "hunter22" },
    ],
    [["-H", "X-Api-Key: hunter2"], ["-H", "X-Api-Key: ${secret:X_API_KEY}"], { X_API_KEY: "hunter2" }],
    [
      ["-e", "GITHUB_TOKEN=hunter2"],
      ["-e", "GITHUB_TOKEN=${secret:GITHUB_TOKEN}"],
      { GITHUB_TOKEN: "hunter2" },
    ],
    [[`--config={"k":"${GITHUB}"}`], ['--config={"k":"${secret:ARGUMENT}"}'], { ARGUMENT: GITHUB }],
    [[RANDOM], ["${secret:ARGUMENT}"], { ARGUMENT: RANDOM }],
    [
      ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6"],
      ["${secret:ARGUMENT}"],
      { ARGUMENT: "f81d4fae-7dec-11d0-a765-00a0c91e6bf6" },
    ],
    [
      ["--token", "one1", "--token", "two2"],
      ["--token", "${secret:TOKEN}", "--token", "${secret:TOKEN_2}"],
      { TOKEN: "one1", TOKEN_2: "two2" },
    ],
    [["${secret:OTHER}"], ["${secret:ARGUMENT}"], { ARGUMENT: "${secret:OTHER}" }],
  ])("%j", async (given, written, values) => {
    expect(await sealedArguments(given)).toEqual({ written, values });
  });

  test.each([
    "-y",
    "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
    "/home/alice/projects/server/build/index.js",
    "https://mcp.example.com/v1/organizations/tools",
    "claude-sonnet-4-20250514",
    "ghcr.io/github/github-mcp-server:v0.12.1",
    "--log-level=debug",
    "mcp_server_git.server",
    "stdio",
  ])("%s stays", async (word) => {
    expect(await sealedArguments([word])).toEqual({ written: [word], values: {} });
  });
});

describe("in variables and headers", () => {
  test.each<[string, string, string]>([
    ["API_KEY", "x", "${secret:API_KEY}"],
    ["LOG_LEVEL", "debug", "debug"],
    ["API_KEY", "", ""],
    ["CONFIG", `{"token":"${GITHUB}"}`, '{"token":"${secret:CONFIG}"}'],
    ["DATABASE_URL", "postgres://u:pw@h/d", "postgres://u:${secret:PASSWORD}@h/d"],
    ["ODBC", "Server=h;Uid=u;Pwd=pw1;", "Server=h;Uid=u;Pwd=${secret:PWD};"],
    ["WORKSPACE", RANDOM, "${secret:WORKSPACE}"],
    ["GREETING", "${user_id} and ${home}", "${secret:GREETING}"],
  ])("%s=%s", async (name, value, written) => {
    expect(await new Sealed(async () => true).variable(name, [{ text: value }])).toBe(written);
  });

  test("the scheme of a credential stays", async () => {
    const sealed = new Sealed(async () => true);
    expect(
      await sealed.header("Authorization", [{ text: "Bearer " }, { text: "abc", secret: "TOKEN" }]),
    ).toBe("Bearer ${secret:AUTHORIZATION}");
    expect(await sealed.header("X-Team", [{ text: "blue" }])).toBe("blue");
    expect(sealed.values).toEqual({ AUTHORIZATION: "abc" });
  });

  test("doubt is settled by the person, and a reference to a secret is none", async () => {
    const asked: string[] = [];
    const sealed = new Sealed(async (what) => {
      asked.push(what);
      return false;
    });
    expect(await sealed.variable("WORKSPACE", [{ text: RANDOM }])).toBe(RANDOM);
    expect(
      await sealed.variable("URL", [{ text: "https://h/" }, { text: "plain", secret: "MY_TOKEN" }]),
    ).toBe("https://h/${secret:MY_TOKEN}");
    expect(asked).toEqual(["the variable WORKSPACE (q7Z…, 20 characters)"]);
  });

  test.each([
    GITHUB,
    "sk-proj-aaaaaaaaaaaaaaaaaaaa",
    "xoxb-1111-2222-abcdefgh",
    "AKIAIOSFODNN7EXAMPLE",
    "glpat-aaaaaaaaaaaaaaaaaaaa",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl",
    "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----",
  ])("a token of a known form is one without doubt: %j", async (token) => {
    const sealed = new Sealed(async () => false);
    expect(await sealed.variable("CONFIG", [{ text: `[${token}]` }])).toBe("[${secret:CONFIG}]");
    expect(sealed.values).toEqual({ CONFIG: token });
  });
});
