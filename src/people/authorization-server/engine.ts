// Runs the library without a socket: requests are given to it as Node's server would, and its answers are read.
import inject, { type Response as LibraryAnswer } from "light-my-request";
import {
  type Client,
  type DeviceCodeItem,
  type InteractionItem,
  Provider,
} from "oidc-provider/lib/provider.js";
import instance from "oidc-provider/lib/helpers/weak_cache.js";
import { isUnavailable, type RuntimeError } from "../../errors";
import { type ConfigurationParts, configurationOf, COOKIES, ERROR_PAGE } from "./configuration";
import { PATHS } from "./endpoints";
import type { Call, CallAnswer } from "./call";
import type { CollectedWrites, Stored } from "./collected-writes";
import { silenceAddressWarning } from "./library-warnings";
import { accountId } from "./terms";
import type { Person } from "./grants";

/** The library looks lifetimes up by these names of its classes; without them its tokens do not expire. */
const NAMED = [
  "AccessToken",
  "AuthorizationCode",
  "DeviceCode",
  "Grant",
  "Interaction",
  "PushedAuthorizationRequest",
  "RefreshToken",
  "ReplayDetection",
  "Session",
] as const;

export class Engine {
  readonly #provider: Provider;
  readonly #issuer: URL;
  readonly #writes: CollectedWrites;
  /** Requests that the database has failed. */
  readonly #unavailable = new WeakMap<object, RuntimeError>();
  readonly #handle: ReturnType<Provider["callback"]>;

  /** Throws if the classes of the library have lost their names in a build. */
  constructor(parts: ConfigurationParts) {
    const { core } = parts;
    silenceAddressWarning();
    this.#issuer = new URL(core.publicUrl());
    this.#writes = parts.writes;
    this.#provider = new Provider(core.publicUrl(), configurationOf(parts));
    for (const name of NAMED) {
      if (this.#provider[name].name !== name)
        throw new Error(`the authorization server was built without the name of ${name}`);
    }
    // Its page for this mode needs a script.
    instance(this.#provider).responseModes.delete("form_post");
    // Its scheme and host are those of `public_url`, which `answer` tells it in this way.
    this.#provider.proxy = true;
    this.#provider.on("server_error", ({ req }, error) => {
      if (isUnavailable(error)) this.#unavailable.set(req, error);
      else core.log.error("the authorization server failed", { error });
    });
    this.#handle = this.#provider.callback();
  }

  /**
   * What the library writes is stored together before the answer is sent, and only if the request succeeds. Throws `unavailable`
   * if the database fails; then nothing was stored.
   */
  async answer(call: Call): Promise<CallAnswer> {
    const { answer: given, lost } = await this.#writes.during(() => this.#given(call), storedOf);
    const kept = new Headers();
    for (const [name, value] of Object.entries(given.headers)) {
      if (value === undefined || DROPPED.includes(name)) continue;
      kept.set(name, Array.isArray(value) ? value.join(", ") : String(value));
    }
    if (lost) return usedAnswer(call, kept);
    return {
      status: given.statusCode,
      headers: kept,
      body: new Uint8Array(given.rawPayload),
      isErrorPage: given.headers[ERROR_PAGE] !== undefined,
      interaction: interactionIn(kept.get("location")),
    };
  }

  /** Nothing of the caller's `Host` and forwarded headers reaches the library. */
  async #given({ method, path, search, headers, body, address, resume }: Call): Promise<LibraryAnswer> {
    const { host, protocol, pathname } = this.#issuer;
    const prefix = pathname === "/" ? "" : pathname;
    let sent: object = {};
    const given = await inject(
      (request, response) => {
        Object.assign(request, { originalUrl: prefix + path + search });
        sent = request;
        void this.#handle(request, response);
      },
      {
        method,
        url: path + search,
        authority: host,
        ...(address === undefined ? {} : { remoteAddress: address }),
        headers: {
          ...headers,
          host,
          "x-forwarded-proto": protocol.slice(0, -1),
          ...(address === undefined ? {} : { "x-forwarded-for": address }),
          ...(resume === undefined ? {} : { cookie: `${COOKIES.resume}=${resume}` }),
        },
        ...(body === undefined ? {} : { payload: body }),
      },
    );
    const failure = this.#unavailable.get(sent);
    if (failure !== undefined) throw failure;
    return given;
  }

  /** What a client asks a person; undefined if it has expired or was answered. */
  interaction(uid: string): Promise<InteractionItem | undefined> {
    return this.#provider.Interaction.find(uid);
  }

  client(id: string): Promise<Client | undefined> {
    return this.#provider.Client.find(id);
  }

  deviceCode(userCode: string): Promise<DeviceCodeItem | undefined> {
    return this.#provider.DeviceCode.findByUserCode(userCode);
  }

  /** Stores that a person has allowed a client the scope of a resource. `chain`: the id of the tokens that follow. */
  async grant(chain: string, person: Person, clientId: string, resource: { address: string; scope: string }) {
    const account = accountId(person.projectId, person.userId);
    const grant = new this.#provider.Grant({ jti: chain, accountId: account, clientId });
    grant.addResourceScope(resource.address, resource.scope);
    await grant.save();
  }
}

/** Cookies are ours, and what the front of the server sets. */
const DROPPED = [
  "set-cookie",
  "connection",
  "date",
  "content-length",
  "keep-alive",
  "transfer-encoding",
  ERROR_PAGE,
  "vary",
];

/** A request that is refused uses nothing up, but what it has ended stays ended: a token that was used twice. */
function storedOf({ statusCode }: LibraryAnswer): Stored {
  if (statusCode >= 500) return "nothing";
  return statusCode >= 400 ? "removals" : "all";
}

/** Another request has used the same code or token at the same time. */
function usedAnswer({ method }: Call, headers: Headers): CallAnswer {
  const isErrorPage = method === "GET";
  const out = {
    error: isErrorPage ? "invalid_request" : "invalid_grant",
    error_description: "it was used already",
  };
  headers.delete("location");
  headers.set("content-type", "application/json; charset=utf-8");
  const body = new TextEncoder().encode(JSON.stringify(out));
  return { status: 400, headers, body, isErrorPage, interaction: undefined };
}

function interactionIn(location: string | null): string | undefined {
  const path = location === null ? undefined : URL.parse(location)?.pathname;
  const at = path?.lastIndexOf(`${PATHS.interaction}/`) ?? -1;
  return path === undefined || at < 0 ? undefined : path.slice(at + PATHS.interaction.length + 1);
}
