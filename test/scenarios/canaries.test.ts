// Twelve secrets are used in one run of the main job. None may appear in an answer, in the log at level debug, or in a
// file of the data folder. With encryption and redaction switched off, the same search finds all of them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createLog, systemClock, unsafePrintSecrets } from "../../src/base";
import { type Keyring, type KeyringOptions, openKeyring } from "../../src/crypto";
import type { RuntimeParts } from "../../src/open-core";
import { touch } from "../../src/store";
import { type ApiAnswer, at, call } from "../support/api";
import { Browser } from "../support/browser";
import { bytesOf, type Canaries, found } from "../support/canaries";
import { TEST_DATABASE } from "../support/postgres-engine";
import { chatProvider, type Site, startSite } from "../support/site";
import { testOnSqlite } from "../support/on-sqlite";

const ROOT_KEY = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");
const FAILING_TEXT = 'canary of a failed call "q" +/=&';
const STORED_SECRET = 'canary of a stored secret "q" +/=&%';
const SENT_TEXT = "canary of an idempotent answer +/=&";
const CLIENT_SECRET = "canary+of/the:client%secret=";

interface Evidence {
  canaries: Canaries;
  answers: string;
  log: string;
  files: string;
}

async function run(parts: RuntimeParts, moreLines: string[]): Promise<Evidence> {
  const answers: string[] = [];
  const chatOptions = { clientSecret: CLIENT_SECRET, pkce: true, rotation: { expiresIn: 3600 } };
  await using site = await startSite({
    parts,
    chatOptions,
    environment: { RUNTIME_ROOT_KEY: ROOT_KEY, RUNTIME_LOG_ACCESS: "true" },
  });
  const admin = await site.key("admin");
  const key = await site.key("run");
  const keep = (answer: ApiAnswer): ApiAnswer => {
    answers.push(answer.text, JSON.stringify([...answer.headers]));
    return answer;
  };
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
    keep(
      await call(site.url, {
        method: "POST",
        path,
        key: path.includes("/admin/") ? admin : key,
        body,
        headers,
      }),
    );
  const execute = (input: object) => ({ tool_name: "Chat.SendMessage", user_id: "alice", input });

  const provider = chatProvider(site.chat);
  await post("/v1/admin/auth_providers", {
    ...provider,
    oauth2: { ...provider.oauth2, pkce: { enabled: true } },
  });
  await post("/v1/admin/secrets/CANARY", { value: STORED_SECRET });
  await post("/v1/admin/secrets/CANARY", { value: [STORED_SECRET] });
  const started = await post("/v1/tools/authorize", { tool_name: "Chat.SendMessage", user_id: "alice" });
  const browser = new Browser();
  const callback = new URL(await browser.toCallback(String(at(started.body, "url")), "alice"));
  const page = await browser.open(callback.href);
  answers.push(await page.clone().text());
  answers.push(await (await browser.answer(page, site.url, "yes")).text());
  answers.push(await (await browser.open(`${callback.href}&error=again`)).text());

  await post("/v1/tools/execute", execute({ channel_name: "general", message: "first" }));
  await refreshSoon(site);
  await post("/v1/tools/execute", execute({ channel_name: "nowhere", message: FAILING_TEXT }));
  // This answer may contain the sent text, so only its stored copy is checked.
  const sent = execute({ channel_name: "general", message: SENT_TEXT });
  await call(site.url, {
    method: "POST",
    path: "/v1/tools/execute",
    key,
    body: sent,
    headers: { "idempotency-key": "canary-1" },
  });
  await post("/v1/tools/execute", { ...sent, input: {} }, { "idempotency-key": "canary-1" });
  for (const path of [
    "/v1/admin/auth_providers",
    "/v1/admin/secrets",
    "/v1/admin/user_connections",
    "/v1/health",
  ]) {
    keep(await call(site.url, { method: "GET", path, key: admin }));
  }

  const token = site.chat.requests.find(({ method }) => method === "chat.postMessage")?.token ?? "";
  const tokenParameter = (name: string): string =>
    site.chat.requests.map(({ params }) => params[name]).find((value) => value !== undefined) ?? "";
  const canaries = {
    access_token: token,
    refresh_token: tokenParameter("refresh_token"),
    client_secret: CLIENT_SECRET,
    api_key: key,
    root_key: ROOT_KEY,
    state: callback.searchParams.get("state") ?? "",
    verifier: tokenParameter("code_verifier"),
    code: callback.searchParams.get("code") ?? "",
    cookie: browser.cookie("runtime_consent") ?? "",
    stored_secret: STORED_SECRET,
    failed_text: FAILING_TEXT,
    idempotent_answer: SENT_TEXT,
  };
  const log = [...site.logLines, ...moreLines].join("\n");
  return {
    canaries,
    answers: answers.join("\n"),
    log,
    files: bytesOf(`${site.folder}/.local/share/runtime`),
  };
}

/** Expires the stored token, so that the next call refreshes it. */
async function refreshSoon(site: Site): Promise<void> {
  await site.runtime.core.store.write(function* () {
    yield { method: "run", text: "UPDATE connections SET expires_at = 1, refresh_at = 1", params: [] };
    yield* touch("connections");
  });
}

describe("with encryption and redaction", () => {
  let evidence: Evidence;
  beforeAll(async () => {
    evidence = await run({}, []);
  });

  test("all twelve secrets are used", () => {
    for (const [name, secret] of Object.entries(evidence.canaries))
      expect([name, secret.length > 10]).toEqual([name, true]);
  });

  const places =
    TEST_DATABASE === undefined ? (["answers", "log", "files"] as const) : (["answers", "log"] as const);
  test.each(places)("no secret is in the %s", (place) => {
    expect(evidence[place].length).toBeGreaterThan(1000);
    expect(found(evidence.canaries, evidence[place])).toEqual([]);
  });
});

describe("with encryption and redaction switched off", () => {
  let evidence: Evidence;
  const lines: string[] = [];
  beforeAll(async () => {
    const write = (line: string): number => lines.push(line);
    const log = createLog({ level: "debug", clock: systemClock, write, [unsafePrintSecrets]: true });
    evidence = await run({ log, openKeyring: openPlainKeyring }, lines);
  });
  afterAll(() => lines.splice(0));

  testOnSqlite("the same search finds all secrets in log and files", () => {
    const everything = found(evidence.canaries, evidence.log + evidence.files);
    expect(everything.toSorted()).toEqual(Object.keys(evidence.canaries).toSorted());
  });
});

/** Stores everything unencrypted. */
async function openPlainKeyring(options: KeyringOptions): Promise<Keyring> {
  const real = await openKeyring(options);
  return {
    check: async () => undefined,
    rootKeyId: real.rootKeyId,
    derived: (purpose) => real.derived(purpose),
    derivedForGood: (purpose) => real.derivedForGood(purpose),
    seal: async (_project, _place, text) => text,
    open: async (_project, _place, sealed) => sealed,
    prove: (text) => real.prove(text),
    addDataKey: (project) => real.addDataKey(project),
    destroyDataKeys: (project) => real.destroyDataKeys(project),
    rotateRoot: (options) => real.rotateRoot(options),
    rotateDataKey: (project, entry) => real.rotateDataKey(project, entry),
    retiredDataKeys: (project) => real.retiredDataKeys(project),
    projectsOfRetiredKeys: () => real.projectsOfRetiredKeys(),
    dropDataKeys: (project, unused) => real.dropDataKeys(project, unused),
  };
}
