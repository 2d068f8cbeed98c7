// Runs the third-party emulator that stores people, channels and messages, and calls it.
//
// It runs on a Unix socket: given a port number it would listen on every interface of the machine, could not say
// which port it got, and would bring the process down when the port is taken.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator, type Emulator, type SeedConfig } from "emulate";
import { isRecord, record, records, text, type JsonRecord } from "./json";

/** The emulator's own app, used only to get its tokens; clients never see either. */
const INNER_APP = { client_id: "1.1", client_secret: "inner", redirect: "http://127.0.0.1/inner" };

/** It answers HTTP 403 after 5,000 requests of one token; a fresh token is taken well before. */
const REQUESTS_PER_TOKEN = 4000;
const PAGE = 1000;
const MAX_PAGES = 200;

export interface InnerApp {
  readonly appId: string;
  readonly name: string;
  readonly botName: string;
}

/** The running emulator. `call` acts as one of its people, with all permissions of that person. */
export class Backend {
  private readonly tokens = new Map<string, { token: Promise<string>; left: number }>();

  private readonly emulator: Emulator;
  private readonly socket: string;

  private constructor(emulator: Emulator, socket: string) {
    this.emulator = emulator;
    this.socket = socket;
  }

  static async start(slack: JsonRecord, app: InnerApp): Promise<Backend> {
    const socket = socketName();
    const seed: SeedConfig = { slack: { ...slack, oauth_apps: [seededApp(app)] } };
    // `listen` also accepts a socket's path as the port, which the emulator's types do not show.
    const port = socket as unknown as number;
    const emulator = await createEmulator({ service: "slack", port, baseUrl: "http://127.0.0.1", seed });
    return new Backend(emulator, socket);
  }

  stop(): Promise<void> {
    return this.emulator.close();
  }

  /** Calls a method as `userId`; the answer is the emulator's, `ok` or not. */
  async call(userId: string, method: string, params: Readonly<Record<string, string>>): Promise<JsonRecord> {
    const token = await this.tokenOf(userId);
    const response = await this.post(`/api/${method}`, params, token);
    if (response.status !== 200) throw new Error(`The emulator answered ${response.status} to ${method}.`);
    const body: unknown = await response.json();
    if (!isRecord(body)) throw new Error(`The emulator answered ${method} without an object.`);
    return body;
  }

  /** Like `call`, for steps that cannot be refused: a refusal is a bug of the sandbox. */
  async must(userId: string, method: string, params: Readonly<Record<string, string>>): Promise<JsonRecord> {
    const body = await this.call(userId, method, params);
    if (body["ok"] !== true) throw new Error(`The emulator refused ${method}: ${text(body, "error")}.`);
    return body;
  }

  /** All items of a list, from all pages. */
  async all(
    userId: string,
    method: string,
    field: string,
    params: Record<string, string>,
  ): Promise<JsonRecord[]> {
    const items: JsonRecord[] = [];
    let cursor = "";
    for (let page = 0; page < MAX_PAGES; page++) {
      const position = cursor === "" ? {} : { cursor };
      const body = await this.must(userId, method, { ...params, limit: String(PAGE), ...position });
      items.push(...records(body, field));
      cursor = text(record(body, "response_metadata"), "next_cursor");
      if (cursor === "") return items;
    }
    throw new Error(`More than ${MAX_PAGES * PAGE} items in ${method}.`);
  }

  private tokenOf(userId: string): Promise<string> {
    let entry = this.tokens.get(userId);
    if (entry === undefined || entry.left <= 0) {
      entry = { token: this.mint(userId), left: REQUESTS_PER_TOKEN };
      this.tokens.set(userId, entry);
    }
    entry.left -= 1;
    return entry.token;
  }

  /** The emulator's own consent and code exchange, the only source of new tokens while it runs. */
  private async mint(userId: string): Promise<string> {
    const redirect = await this.post("/oauth/v2/authorize/callback", {
      user_id: userId,
      client_id: INNER_APP.client_id,
      redirect_uri: INNER_APP.redirect,
      user_scope: "chat:write",
    });
    const code = new URL(redirect.headers.get("location") ?? "").searchParams.get("code") ?? "";
    const answer = await this.post("/api/oauth.v2.access", {
      code,
      client_id: INNER_APP.client_id,
      client_secret: INNER_APP.client_secret,
      redirect_uri: INNER_APP.redirect,
    });
    const body: unknown = await answer.json();
    const token = isRecord(body) ? text(record(body, "authed_user"), "access_token") : "";
    if (token === "") throw new Error("The emulator gave no token.");
    return token;
  }

  /** A random bearer where none is needed, because requests without one share a rate limit. */
  private post(
    path: string,
    params: Readonly<Record<string, string>>,
    token: string = crypto.randomUUID(),
  ): Promise<Response> {
    return fetch(`http://127.0.0.1${path}`, {
      unix: this.socket,
      method: "POST",
      redirect: "manual",
      // The emulator closes connections that were idle for 5 s. A request on one that it is about to close fails.
      keepalive: false,
      headers: { authorization: `Bearer ${token}` },
      body: new URLSearchParams(params),
    });
  }
}

/** On Linux a name without a file (the first byte is zero), so that a killed process leaves nothing behind. */
function socketName(): string {
  const name = `chat-${crypto.randomUUID().slice(0, 18)}`;
  return process.platform === "linux" ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}

function seededApp(app: InnerApp): JsonRecord {
  return {
    client_id: INNER_APP.client_id,
    client_secret: INNER_APP.client_secret,
    redirect_uris: [INNER_APP.redirect],
    app_id: app.appId,
    name: app.name,
    bot_name: app.botName,
  };
}
