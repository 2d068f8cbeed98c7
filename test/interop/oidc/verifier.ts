// A customer's verifier as part of their application: it has the signed-in user, confirms with an API key, and
// redirects the browser.
import { api, type ApiAnswer, at } from "../../support/api";
import type { Browser } from "../../support/browser";
import { type Site, startSite } from "../../support/site";
import { MovableClock } from "../../tools/deployment";
import { openSqlite } from "../../../src/store";

export interface Verifier extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Query strings of the received requests, in order. */
  readonly visits: string[];
  /** Answers of confirm_user. */
  readonly answers: ApiAnswer[];
  /** Sets its API key and the server. */
  trust(site: Site, key: string): void;
}

/** `/login?user=NAME` signs a browser in, other paths confirm. */
export function startVerifier(): Verifier {
  const visits: string[] = [];
  const answers: ApiAnswer[] = [];
  let confirm = (_flowId: string, _user: string): Promise<ApiAnswer> => Promise.reject(new Error("no trust"));
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: async (request) => {
      const { pathname, search, searchParams } = new URL(request.url);
      const signedIn = (name: string) => ({ "set-cookie": `session=${name}; Path=/` });
      if (pathname === "/login") {
        return new Response("welcome", { headers: signedIn(searchParams.get("user") ?? "") });
      }
      visits.push(search);
      const user = /session=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1] ?? "nobody";
      const answer = await confirm(searchParams.get("flow_id") ?? "", user);
      answers.push(answer);
      const next = at(answer.body, "next_uri");
      return typeof next === "string"
        ? new Response(null, { status: 303, headers: { location: next } })
        : new Response("you are somebody else", { status: 403 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    visits,
    answers,
    trust: (site, key) => {
      confirm = (flow_id, user_id) => api(site.url, key).post("/v1/auth/confirm_user", { flow_id, user_id });
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** A browser that is signed in to the customer's application. */
export async function signedInAt({ url }: Verifier, browser: Browser, user: string): Promise<Browser> {
  await browser.open(`${url}/login?user=${user}`);
  return browser;
}

export interface VerifiedSite extends AsyncDisposable {
  readonly site: Site;
  readonly clock: MovableClock;
  readonly verifier: Verifier;
  /** Changes the session verification settings. */
  settings(change: object): Promise<ApiAnswer>;
}

/** A project whose consents are verified by the customer's verifier at `/verify?tenant=a%20b`. */
export async function startVerifiedSite(environment: Record<string, string> = {}): Promise<VerifiedSite> {
  const clock = new MovableClock();
  const verifier = startVerifier();
  const site = await startSite({
    environment,
    // No test here cuts the power: without syncs a test takes a third of the time.
    parts: { clock, openStore: (store) => openSqlite({ ...store, durability: "normal" }) },
  });
  await site.addChatProvider();
  verifier.trust(site, await site.key("verify"));
  const admin = api(site.url, await site.key("admin"));
  const settings = (change: object): Promise<ApiAnswer> =>
    admin.put("/v1/admin/settings/session_verification", change);
  await settings({ verifier_url: `${verifier.url}/verify?tenant=a%20b` });
  return {
    site,
    clock,
    verifier,
    settings,
    [Symbol.asyncDispose]: async () => {
      await site[Symbol.asyncDispose]();
      await verifier[Symbol.asyncDispose]();
    },
  };
}
