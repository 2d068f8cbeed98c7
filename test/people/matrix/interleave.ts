// Users × gateways × clients: sign-in, refresh, revocation and change of role at the same time, through HTTP. Every token that
// is issued is compared with who was asked, every call with the grant that the platform saw.
import { randomOf } from "../../support/long";
import { client as mcpClient, valueAt } from "../../mcp/site";
import { operator } from "../../tools/deployment";
import {
  type Browser,
  claimsOf,
  form,
  type SignInSite,
  startSignInSite,
  TestClient,
  type Tokens,
  tokensIn,
} from "../authorization-server/site";

const USERS = ["alice", "bob"] as const;
const GATEWAYS = ["workbench", "second"] as const;
const CLIENTS = 2;
/** Steps that run at the same time. */
const AT_ONCE = 4;
const ROLES = ["member", "admin"] as const;
/** The steps, as often as they are drawn. */
const STEPS = [
  ...Array<"issue">(3).fill("issue"),
  ...Array<"refresh">(4).fill("refresh"),
  ...Array<"call">(8).fill("call"),
  ...Array<"misuse">(4).fill("misuse"),
  ...Array<"revoke">(2).fill("revoke"),
  ...Array<"role">(2).fill("role"),
  "signIn",
] as const;

type User = (typeof USERS)[number];

export interface Figures {
  interleavings: number;
  issued: number;
  refreshed: number;
  calls: number;
  /** Calls that reached the platform. */
  platformCalls: number;
  refused: number;
  revoked: number;
  roles: number;
  signIns: number;
  faults: string[];
}

interface Held {
  user: User;
  gateway: string;
  client: TestClient;
  tokens: Tokens;
}

export async function interleave({
  interleavings,
  seed,
}: {
  interleavings: number;
  seed: number;
}): Promise<Figures> {
  // Revoked tokens are sent on purpose.
  await using site = await startSignInSite({ environment: { RUNTIME_LIMITS_BAD_CREDENTIALS: "0" } });
  const run = new Interleaving(site, seed);
  await run.prepare();
  for (let each = 0; each < interleavings && run.figures.faults.length === 0; each++)
    await Promise.all(Array.from({ length: AT_ONCE }, () => run.step()));
  return { ...run.figures, interleavings };
}

export function sentenceOf(figures: Figures): string {
  const { interleavings, issued, refreshed, calls, platformCalls, refused, revoked, roles, signIns } =
    figures;
  return (
    `${interleavings} interleavings: ${signIns} sign-ins, ${issued} tokens, ${refreshed} refreshes, ${calls} calls ` +
    `(${platformCalls} at the platform, ${refused} refused), ${revoked} revocations, ${roles} changes of role, ` +
    `${figures.faults.length} faults\n`
  );
}

class Interleaving {
  readonly figures: Omit<Figures, "interleavings"> = {
    issued: 0,
    refreshed: 0,
    calls: 0,
    platformCalls: 0,
    refused: 0,
    revoked: 0,
    roles: 0,
    signIns: 0,
    faults: [],
  };
  readonly #site: SignInSite;
  readonly #draw: (limit: number) => number;
  readonly #clients: TestClient[] = [];
  readonly #browsers = new Map<User, Browser>();
  /** Tokens by client, gateway and user. */
  #held: Held[] = [];
  /** Users whose role a step changes. */
  readonly #changing = new Set<User>();
  #addresses: string[] = [];
  #call = 0;
  /** Whose call has which path at the platform. */
  readonly #owners = new Map<string, User>();

  constructor(site: SignInSite, seed: number) {
    this.#site = site;
    const random = randomOf(seed);
    this.#draw = (limit) => Math.floor(random() * limit);
  }

  async prepare(): Promise<void> {
    const { deployment, url } = this.#site;
    await deployment.addProvider();
    for (const user of USERS) {
      await deployment.give(user, { access: `grant-of-${user}` });
      this.#browsers.set(user, await this.#site.browser(user));
    }
    for (const slug of GATEWAYS) this.#addresses.push(await this.#site.tokenGateway(slug));
    for (let count = 0; count < CLIENTS; count++) this.#clients.push(await TestClient.register(url));
  }

  async step(): Promise<void> {
    await this[this.#of(STEPS)]();
  }

  async issue(): Promise<void> {
    const [user, client, gateway] = [this.#of(USERS), this.#of(this.#clients), this.#of(this.#addresses)];
    const tokens = await client.tokens(this.#browserOf(user), gateway).catch((error: unknown) => {
      // The browser may just be signed out.
      if (!String(error).includes("no code")) throw error;
      return undefined;
    });
    if (tokens === undefined) return;
    this.figures.issued++;
    this.#keep({ user, gateway, client, tokens });
  }

  async refresh(): Promise<void> {
    const held = this.#take();
    if (held === undefined) return;
    const answer = await held.client.refresh(held.tokens.refresh_token);
    const body: unknown = await answer.json();
    // Another step may have ended it.
    if (answer.status === 400) return;
    if (answer.status !== 200) return this.#fault(`refresh: ${answer.status}`);
    this.figures.refreshed++;
    this.#keep({ ...held, tokens: tokensIn(body) });
  }

  async call(): Promise<void> {
    const held = this.#held.at(this.#draw(Math.max(1, this.#held.length)));
    if (held !== undefined) await this.#callWith(held, held.gateway);
  }

  /** At another gateway, at the API, and with another client. */
  async misuse(): Promise<void> {
    const held = this.#held.at(this.#draw(Math.max(1, this.#held.length)));
    if (held === undefined) return;
    const other = this.#addresses.find((address) => address !== held.gateway) ?? "";
    const status = await this.#callWith(held, other);
    if (status !== 401) this.#fault(`a token for ${held.gateway} was answered ${status} at ${other}`);
    const api = await fetch(`${this.#site.url}/v1/tools`, {
      headers: { authorization: `Bearer ${held.tokens.access_token}` },
    });
    await api.body?.cancel();
    if (api.status !== 401) this.#fault(`a token for a gateway was answered ${api.status} by the API`);
    const stranger = this.#clients.find((client) => client !== held.client);
    const taken = await stranger?.refresh(held.tokens.refresh_token);
    if (taken?.status !== 400) this.#fault(`another client's refresh was answered ${taken?.status}`);
  }

  /** Ends all tokens of a chain; then none of them works. */
  async revoke(): Promise<void> {
    const held = this.#take();
    if (held === undefined) return;
    const { url } = this.#site;
    const answer = await form(`${url}/oauth/revoke`, {
      client_id: held.client.id,
      token: held.tokens.refresh_token,
    });
    if (answer.status !== 200) return this.#fault(`revocation: ${answer.status}`);
    this.figures.revoked++;
    const status = await this.#callWith(held, held.gateway);
    if (status !== 401) this.#fault(`a revoked token was answered ${status}`);
  }

  /** A role counts with the next request, and for no other person. */
  async role(): Promise<void> {
    const user = this.#of(USERS);
    if (this.#changing.has(user)) return;
    this.#changing.add(user);
    const { runtime } = this.#site.deployment;
    const role = this.#of(ROLES);
    await runtime.invitations.invite(operator(), { user_id: user, role }).catch((error: unknown) => {
      // People whom the proxy names need no link.
      if (!String(error).includes("passkey")) throw error;
    });
    if ((await runtime.people.roleOf("default", user)) !== role)
      this.#fault(`${user} has not the role ${role}`);
    this.figures.roles++;
    this.#changing.delete(user);
  }

  /** The person signs out, and in again with a new browser. */
  async signIn(): Promise<void> {
    const user = this.#of(USERS);
    const before = this.#browserOf(user);
    const browser = await this.#site.browser(user);
    this.#browsers.set(user, browser);
    const { sessions } = this.#site.deployment.runtime;
    const cookie = before.cookies.get("runtime_session_default");
    const signedIn = await sessions.find("default", cookie);
    if (signedIn !== undefined) await sessions.end("default", user, signedIn.sessionId);
    this.figures.signIns++;
    if ((await sessions.find("default", cookie)) !== undefined) this.#fault("a session outlives its end");
  }

  #keep(held: Held): void {
    const claims = claimsOf(held.tokens.access_token);
    const expected = { sub: held.user, aud: held.gateway, client_id: held.client.id, project_id: "default" };
    for (const [name, value] of Object.entries(expected))
      if (claims[name] !== value) this.#fault(`${name} is ${String(claims[name])}, and not ${value}`);
    this.#held.push(held);
    if (this.#held.length > 24) this.#held.shift();
  }

  /** The status; what the platform has seen is compared. */
  async #callWith(held: Held, gateway: string): Promise<number> {
    const path = `call-${this.#call++}`;
    const { platform } = this.#site.deployment;
    this.#owners.set(path, held.user);
    const answer = await mcpClient(gateway, { key: held.tokens.access_token }).modern("tools/call", {
      name: "Test_Call",
      arguments: { path },
    });
    this.figures.calls++;
    if (answer.status !== 200) this.figures.refused++;
    if (![200, 401].includes(answer.status))
      this.#fault(`a call was answered ${answer.status}: ${answer.text}`);
    if (answer.status === 200 && valueAt(answer, "result.isError") === true)
      this.#fault(`a call failed: ${answer.text}`);
    for (const { address, authorization } of platform.calls.splice(0)) {
      this.figures.platformCalls++;
      const seen = this.#owners.get(address.split("/").at(-1) ?? "");
      if (seen !== undefined && authorization !== `Bearer grant-of-${seen}`)
        this.#fault(`a call of ${seen} used ${String(authorization)}`);
    }
    return answer.status;
  }

  #of<T>(choices: readonly T[]): T {
    const choice = choices[this.#draw(choices.length)];
    if (choice === undefined) throw new Error("nothing to choose from");
    return choice;
  }

  #take(): Held | undefined {
    const held = this.#held.at(this.#draw(Math.max(1, this.#held.length)));
    this.#held = this.#held.filter((one) => one !== held);
    return held;
  }

  #browserOf(user: User): Browser {
    const browser = this.#browsers.get(user);
    if (browser === undefined) throw new Error(`no browser of ${user}`);
    return browser;
  }

  #fault(text: string): void {
    this.figures.faults.push(text);
  }
}
