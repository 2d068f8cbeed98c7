// Runs the library without a socket: requests are given to it as Node's server would, and its answers are read.
import inject from "light-my-request";
import {
  type Client,
  type DeviceCodeItem,
  type InteractionItem,
  Provider,
} from "oidc-provider/lib/provider.js";
import instance from "oidc-provider/lib/helpers/weak_cache.js";
import { type ConfigurationParts, configurationOf, COOKIES, ERROR_PAGE } from "./configuration";
import { PATHS } from "./endpoints";
import type { Call, CallAnswer } from "./call";
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
  readonly #handle: ReturnType<Provider["callback"]>;

  /** Throws if the classes of the library have lost their names in a build. */
  constructor(parts: ConfigurationParts) {
    const { core } = parts;
    silenceAddressWarning();
    this.#issuer = new URL(core.publicUrl());
    this.#provider = new Provider(core.publicUrl(), configurationOf(parts));
    for (const name of NAMED) {
      if (this.#provider[name].name !== name)
        throw new Error(`the authorization server was built without the name of ${name}`);
    }
    // Its page for this mode needs a script.
    instance(this.#provider).responseModes.delete("form_post");
    // Its scheme and host are those of `public_url`, which `answer` tells it in this way.
    this.#provider.proxy = true;
    this.#provider.on("server_error", (_context, error) =>
      core.log.error("the authorization server failed", { error }),
    );
    this.#handle = this.#provider.callback();
  }

  /** Nothing of the caller's `Host` and forwarded headers reaches the library. */
  async answer({ method, path, search, headers, body, address, resume }: Call): Promise<CallAnswer> {
    const { host, protocol, pathname } = this.#issuer;
    const prefix = pathname === "/" ? "" : pathname;
    const given = await inject(
      (request, response) => {
        Object.assign(request, { originalUrl: prefix + path + search });
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
    const kept = new Headers();
    for (const [name, value] of Object.entries(given.headers)) {
      if (value === undefined || DROPPED.includes(name)) continue;
      kept.set(name, Array.isArray(value) ? value.join(", ") : String(value));
    }
    return {
      status: given.statusCode,
      headers: kept,
      body: new Uint8Array(given.rawPayload),
      isErrorPage: given.headers[ERROR_PAGE] !== undefined,
      interaction: interactionIn(kept.get("location")),
    };
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

function interactionIn(location: string | null): string | undefined {
  const path = location === null ? undefined : URL.parse(location)?.pathname;
  const at = path?.lastIndexOf(`${PATHS.interaction}/`) ?? -1;
  return path === undefined || at < 0 ? undefined : path.slice(at + PATHS.interaction.length + 1);
}
