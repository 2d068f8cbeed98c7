// Calls of the self-check: raw answers, under the limits and with the token handling of the tools' client.
import {
  codeWord,
  GrantDead,
  type JsonObject,
  type RecordedCall,
  type ToolContext,
  ScopesLost,
} from "../../../src/tools";
import { block, blockedMs } from "../../upstream/blocks";
import type { WholeAnswer } from "../../upstream/exchange";
import { nonEmptyTextIn, objectsIn, textIn } from "../../upstream/json";
import { CODES } from "../upstream/codes";
import { exchange, nextCursorIn } from "../upstream/exchange";
import { failureOf, rateLimited } from "../upstream/failure";
import { limitOf, type MethodName, methodNamed, type Params } from "../upstream/methods";

/** Names of headers that a report may have. */
export const SCOPE_HEADERS = ["x-oauth-scopes", "x-accepted-oauth-scopes"] as const;
const HEADERS = [...SCOPE_HEADERS, "retry-after", "x-slack-req-id"];

const TIMEOUT_MS = 15_000;

export interface Asked {
  status: number;
  /** `ok: true` with HTTP 200. */
  ok: boolean;
  /** The platform's error code. */
  code: string | undefined;
  body: JsonObject;
  headers: Headers;
}

/** One per run. Answers that several checks use are asked for once. */
export class ChatProbe {
  readonly context: ToolContext;
  readonly startedAt: number;
  readonly #record: (call: RecordedCall) => void;
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(context: ToolContext, record: (call: RecordedCall) => void) {
    this.context = context;
    this.startedAt = context.now();
    this.#record = record;
  }

  /**
   * Throws `ToolError` for a rate limit, a refused token, a failure of the platform, and for a scope that the grant lacks: a
   * check may need more than its tool. Other refusals are answers.
   */
  async ask(method: MethodName, params: Params = {}): Promise<Asked> {
    const granted = this.context.grant?.scopes ?? [];
    const lacking = methodNamed(method)
      .scopes(params)
      .filter((scope) => !granted.includes(scope));
    if (lacking.length > 0) throw new ScopesLost("missing_scope", lacking);
    const limit = limitOf(method, params);
    const ms = await blockedMs(this.context, limit);
    if (ms > 0) throw rateLimited(limit, ms);
    const answer = await this.#answer(method, params);
    const failure = failureOf({ method, params }, answer);
    if (failure?.retry === "later")
      await block(this.context, limit, failure.error.details.retryAfterMs ?? 1000);
    if (failure !== undefined && (failure.retry !== "never" || failure.error instanceof GrantDead))
      throw failure.error;
    return askedOf(answer);
  }

  /** Asks once in a run. */
  once<T>(key: string, work: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key) ?? work();
    this.#known.set(key, known);
    // Only stored under this key, with this type.
    return known as Promise<T>;
  }

  async #answer(method: MethodName, params: Params): Promise<WholeAnswer> {
    const { signal } = this.context;
    const send = async (): Promise<WholeAnswer> => {
      const answer = await exchange(this.context, method, params, { signal, timeoutMs: TIMEOUT_MS });
      const { status, body = {}, headers } = answer;
      this.#record({
        method,
        status,
        ...(body["ok"] === true ? {} : { code: codeWord(body["error"], CODES) }),
        headers: HEADERS.filter((name) => headers.has(name)),
      });
      return answer;
    };
    const answer = await send();
    if (!(failureOf({ method, params }, answer)?.error instanceof GrantDead)) return answer;
    return (await this.context.renew()) ? send() : answer;
  }
}

function askedOf({ status, body = {}, headers }: WholeAnswer): Asked {
  const ok = status === 200 && body["ok"] === true;
  return { status, ok, code: ok ? undefined : textIn(body, "error"), body, headers };
}

export function self(probe: ChatProbe): Promise<Asked> {
  return probe.once("self", () => probe.ask("auth.test"));
}

/** The workspace, which the listings of an organization's token need. */
export function ofTeam(probe: ChatProbe): Promise<Params> {
  return probe.once("team", async (): Promise<Params> => {
    const { body } = await self(probe);
    if (body["is_enterprise_install"] !== true) return {};
    const teams = await probe.ask("auth.teams.list");
    const [first] = idsIn(teams, "teams");
    return { team_id: first };
  });
}

export function people(probe: ChatProbe): Promise<Asked> {
  return probe.once("people", async () => probe.ask("users.list", { limit: 200, ...(await ofTeam(probe)) }));
}

/** The conversations of the user of one type. */
export function own(probe: ChatProbe, type: string): Promise<Asked> {
  return probe.once(`own ${type}`, async () =>
    probe.ask("users.conversations", { types: [type], limit: 200, ...(await ofTeam(probe)) }),
  );
}

/** A channel of the user; undefined if the user is in none. */
export function ownChannel(probe: ChatProbe): Promise<string | undefined> {
  return probe.once("channel", async () => {
    for (const type of ["public_channel", "private_channel"]) {
      const asked = await own(probe, type);
      // An organization may restrict it; then the workspace is listed.
      const listing = asked.ok ? asked : await listed(probe, type);
      const found = objectsIn(listing.body, "channels").find(
        (item) => asked.ok || item["is_member"] === true,
      );
      const id = found === undefined ? undefined : nonEmptyTextIn(found, "id");
      if (id !== undefined) return id;
    }
    return undefined;
  });
}

async function listed(probe: ChatProbe, type: string): Promise<Asked> {
  return probe.ask("conversations.list", { types: [type], limit: 200, ...(await ofTeam(probe)) });
}

export function continues({ body }: Asked): boolean {
  return nextCursorIn(body) !== undefined;
}

export function cursorIn({ body }: Asked): string | undefined {
  return nextCursorIn(body);
}

export function idsIn({ body }: Asked, field: string): string[] {
  return objectsIn(body, field).flatMap((item) => nonEmptyTextIn(item, "id") ?? []);
}

export function textsOf(from: JsonObject, field: string): string[] {
  const value = from[field];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
