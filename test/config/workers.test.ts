// Workers in the configuration.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/temporary";
import { load, refusalOf } from "./home";

const FILE = `
workers:
  - id: wiki
    mcp:
      uri: https://mcp.example/mcp
      headers: { X-Api-Key: "\${secret:KEY}" }
      secrets: { KEY: "\${env:WIKI_KEY}" }
      oauth2: { client_id: c, client_secret: "in-clear-CANARY" }
  - id: own
    updates: auto
    http: { uri: http://127.0.0.1:8002, secret: "\${env:OWN_SECRET}", timeout: 20 }
`;

test("reads entries, with secrets from the environment", () => {
  const { workers, settings } = load(FILE, { WIKI_KEY: "key-CANARY", OWN_SECRET: "own-CANARY" });

  expect(workers.map(({ record }) => record)).toEqual([
    {
      id: "wiki",
      mcp: {
        uri: "https://mcp.example/mcp",
        headers: { "X-Api-Key": "${secret:KEY}" },
        oauth2: { client_id: "c" },
      },
    },
    { id: "own", updates: "auto", http: { uri: "http://127.0.0.1:8002", timeout: 20 } },
  ]);
  const [wiki, own] = workers;
  expect([wiki?.secrets["KEY"], wiki?.clientSecret, own?.secret].map((value) => value?.reveal())).toEqual([
    "key-CANARY",
    "in-clear-CANARY",
    "own-CANARY",
  ]);
  expect(JSON.stringify([workers, settings])).not.toContain("CANARY");
});

test("reads a secret from a file, without the line break at its end", () => {
  const file = join(temporaryFolder(), "secret");
  writeFileSync(file, "from-file\n");

  const { workers } = load(
    `workers: [{ id: a, http: { uri: 'https://w.example', secret: '\${file:${file}}' } }]`,
  );

  expect(workers[0]?.secret?.reveal()).toBe("from-file");
});

test.each([
  ["no list", "workers: local", /must be a list of workers/],
  ["no id", "workers: [{ mcp: { uri: 'https://x.example' } }]", /entry 1 id is required/],
  ["no protocol", "workers: [{ id: a }]", /entry 1 must have either http or mcp/],
  ["no address", "workers: [{ id: a, mcp: {} }]", /entry 1 mcp.uri is required/],
  [
    "an id twice",
    "workers: [{ id: a, mcp: { uri: 'https://x.example' } }, { id: a, mcp: { uri: 'https://x.example' } }]",
    /entry 2 has the same id as an earlier entry/,
  ],
  ["an unknown field", "workers: [{ id: a, mcp: { uri: 'https://x.example', key: CANARY } }]", /entry 1/],
  [
    "a variable that is not set",
    "workers: [{ id: a, http: { uri: 'https://x.example', secret: '${env:NOT_SET}' } }]",
    /names the environment variable NOT_SET, which is not set/,
  ],
  [
    "a file that does not exist",
    "workers: [{ id: a, http: { uri: 'https://x.example', secret: '${file:/nowhere}' } }]",
    /names the file \/nowhere, which cannot be read \(ENOENT\)/,
  ],
])("%s stops the start", (_, text, message) => {
  const refusal = refusalOf(() => load(text));
  expect(refusal).toMatch(message);
  expect(refusal).not.toContain("CANARY");
});
