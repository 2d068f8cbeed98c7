// The authorization server for gateways and for the API (RFC 6749, RFC 8414): the library decides by the standards, this service
// about people, resources and what is stored. The library is loaded with the first request.
import type { Audit } from "../../audit";
import { isObject, type JsonObject, RecentMap } from "../../base";
import type { Core } from "../../core";
import { hashOf } from "../../crypto";
import { forbidden } from "../../errors";
import { DEFAULT_ID, type Identity, type Principal } from "../../identity";
import { JwtKeys, tokenKeyTable } from "../../jwt-keys";
import { admissionOf, type PeopleWithGroups } from "./admission";
import type { Call, CallAnswer } from "./call";
import { Clients } from "./clients";
import { CollectedWrites } from "./collected-writes";
import { ClientDirectory } from "./directory";
import { serverMetadata } from "./endpoints";
import type { Engine } from "./engine";
import { ClientGrants, type Person, type SignedInPerson } from "./grants";
import { type Admission, type ProtectedResource, type Resources } from "./resources";
import { type AuthorizationRequest, askingClient } from "./requests";
import { TokenVerifier } from "./token-verifier";

/** Documents that clients of one address may have fetched at once, and how soon one more may be. */
const FETCHES = 20;
const FETCH_EVERY_MS = 3000;
const ADDRESSES = 10_000;

export interface AuthorizationServerParts {
  audit: Audit;
  resources: Resources;
  people: PeopleWithGroups;
  identity: Pick<Identity, "suspensions">;
}

/** A person who answers, as the audit trail names it, and how it has signed in. */
export type Answering = Extract<Principal, { kind: "user" }> & Pick<SignedInPerson, "method">;

export class AuthorizationServer {
  readonly clients: Clients;
  readonly grants: ClientGrants;
  readonly verifier: TokenVerifier;
  readonly directory: ClientDirectory;
  readonly #core: Core;
  readonly #parts: AuthorizationServerParts;
  readonly #keys: JwtKeys;
  readonly #admission: Admission;
  /** By address: when its bucket of fetches is full again, monotonic time. */
  readonly #fetches = new RecentMap<string, number>(ADDRESSES);
  #engine: Promise<Engine> | undefined;

  constructor(core: Core, parts: AuthorizationServerParts) {
    this.#core = core;
    this.#parts = parts;
    this.#admission = admissionOf(parts.people, parts.identity.suspensions);
    this.clients = new Clients(core);
    this.grants = new ClientGrants(core, this.clients, parts.people.methodOf);
    this.directory = new ClientDirectory(core, parts.audit, this.clients);
    this.#keys = new JwtKeys(core, tokenKeyTable);
    this.verifier = new TokenVerifier(core, this.#keys, this.grants);
  }

  /** Whether people sign in to a project of this installation. Else there is no authorization server. */
  isServed(): Promise<boolean> {
    return this.#parts.resources.isServed();
  }

  /** The metadata of RFC 8414. */
  metadata(): object {
    return serverMetadata(this.#core.publicUrl());
  }

  /** The keys of access tokens (RFC 7517). */
  async publishedKeys(): Promise<{ keys: object[] }> {
    // Made at first use, which may be this one.
    await this.#keys.signing(DEFAULT_ID);
    return this.#keys.published();
  }

  /** The answer of the library to a request at one of its addresses. */
  async answer(call: Call): Promise<CallAnswer> {
    return (await this.#loaded()).answer(call);
  }

  /** What a client asks for; undefined if it was answered or has expired. */
  async request(uid: string): Promise<AuthorizationRequest | undefined> {
    const engine = await this.#loaded();
    const interaction = await engine.interaction(uid);
    if (interaction === undefined || interaction.result !== undefined) return undefined;
    const { params } = interaction;
    const asked = await this.#asked(params);
    if (asked === undefined) return undefined;
    const { client, resource } = asked;
    const prompts = String(params["prompt"] ?? "").split(" ");
    return {
      id: uid,
      client: askingClient(client, params["redirect_uri"]),
      resource,
      asksAgain: prompts.some((prompt) => ["consent", "login", "select_account"].includes(prompt)),
    };
  }

  /** Whether the person need not be asked: the gateway trusts the client, or the person has allowed it before. */
  async isAllowed(
    { client, resource, asksAgain }: AuthorizationRequest,
    person: SignedInPerson,
  ): Promise<boolean> {
    if (resource.trustedClients.includes(client.id)) return true;
    return !asksAgain && this.grants.isRemembered(person, client.id, resource);
  }

  /** A sentence for a person who may not use the resource; undefined: it may. */
  refusal({ resource }: AuthorizationRequest, { userId }: Person): Promise<string | undefined> {
    return this.#admission(resource, userId);
  }

  /**
   * Allows it, and returns the address at which the browser goes on. Undefined if it was answered or has expired meanwhile. Throws
   * `forbidden` for a person who may not use the resource; pages ask `refusal` before, to show why.
   */
  async allow(request: AuthorizationRequest, person: Answering): Promise<string | undefined> {
    const grantId = await this.#granted(request, person);
    const login = { accountId: `${person.projectId}:${person.userId}`, remember: false };
    return this.#answered(request, { login, consent: { grantId }, select_account: {} });
  }

  /** Refuses it. `reason`: for the client. */
  deny(request: AuthorizationRequest, reason: string): Promise<string | undefined> {
    return this.#answered(request, { error: "access_denied", error_description: reason });
  }

  /** What a device asks for, by the code that it shows. Undefined for a code that is unknown, answered or expired. */
  async deviceRequest(userCode: string): Promise<AuthorizationRequest | undefined> {
    const code = await (await this.#loaded()).deviceCode(userCode);
    if (code === undefined || code.isExpired || code.accountId !== undefined || code.error !== undefined)
      return undefined;
    const asked = await this.#asked(code.params);
    if (asked === undefined) return undefined;
    const info = isObject(code.deviceInfo) ? code.deviceInfo : {};
    return {
      id: hashOf(userCode),
      client: askingClient(asked.client),
      resource: asked.resource,
      asksAgain: true,
      device: { address: textOf(info["ip"]), userAgent: textOf(info["ua"]) },
    };
  }

  /** False if the code was answered or has expired meanwhile. Throws `forbidden` as `allow` does. */
  async allowDevice(userCode: string, request: AuthorizationRequest, person: Answering): Promise<boolean> {
    const code = await this.#unanswered(userCode);
    if (code === undefined) return false;
    code.grantId = await this.#granted(request, person);
    code.accountId = `${person.projectId}:${person.userId}`;
    code.scope = request.resource.scope;
    code.resource = request.resource.address;
    await code.save();
    return true;
  }

  async denyDevice(userCode: string): Promise<boolean> {
    const code = await this.#unanswered(userCode);
    if (code === undefined) return false;
    code.error = "access_denied";
    code.errorDescription = "The user did not allow it.";
    await code.save();
    return true;
  }

  async #unanswered(userCode: string) {
    const code = await (await this.#loaded()).deviceCode(userCode);
    return code?.accountId === undefined && code?.error === undefined ? code : undefined;
  }

  async #asked(params: Readonly<Record<string, unknown>>) {
    const engine = await this.#loaded();
    const [address, clientId] = [textOf(params["resource"]), textOf(params["client_id"])];
    const resource = address === undefined ? undefined : await this.#parts.resources.at(address);
    const client = clientId === undefined ? undefined : await engine.client(clientId);
    return resource === undefined || client === undefined ? undefined : { resource, client };
  }

  /** Throws `forbidden` for a person who may not use the resource. */
  async #granted({ client, resource }: AuthorizationRequest, person: Answering): Promise<string> {
    const refusal = await this.#admission(resource, person.userId);
    if (refusal !== undefined) throw forbidden(refusal);
    const metadata = client.origin === "registered" ? await this.clients.find(client.id) : undefined;
    const allowed = { id: client.id, name: client.name, metadata };
    const { audit } = this.#parts;
    const chain = await this.grants.allow(person, allowed, resource, function* (grant, isNew) {
      if (isNew)
        yield* audit.record(person, "client.allow", grant, { details: detailsOf(client.id, resource) });
    });
    await (await this.#loaded()).grant(chain, person, client.id, resource);
    return chain;
  }

  async #answered({ id }: AuthorizationRequest, result: object): Promise<string | undefined> {
    const interaction = await (await this.#loaded()).interaction(id);
    if (interaction === undefined || interaction.result !== undefined) return undefined;
    interaction.result = result;
    await interaction.save(Math.max(1, interaction.exp - Math.floor(Date.now() / 1000)));
    return interaction.returnTo;
  }

  #loaded(): Promise<Engine> {
    return (this.#engine ??= this.#load().catch((error: unknown) => {
      this.#engine = undefined;
      throw error;
    }));
  }

  async #load(): Promise<Engine> {
    const [{ Engine: Loaded }, { Signer }] = await Promise.all([import("./engine"), import("./signer")]);
    return new Loaded({
      core: this.#core,
      writes: new CollectedWrites(this.#core),
      clients: this.clients,
      grants: this.grants,
      resources: this.#parts.resources,
      admission: this.#admission,
      signer: new Signer(this.#keys),
      mayFetch: (address) => this.#mayFetch(address ?? ""),
    });
  }

  // A bucket for each address: who asks must not make this server send requests without a limit.
  #mayFetch(address: string): boolean {
    const now = this.#core.clock.monotonic();
    const fullAt = Math.max(this.#fetches.get(address) ?? now, now) + FETCH_EVERY_MS;
    if (fullAt - now > FETCHES * FETCH_EVERY_MS) return false;
    this.#fetches.set(address, fullAt);
    return true;
  }

  /** The answer to a registration (RFC 7591). Throws `RegistrationError`. */
  register(request: JsonObject): Promise<object> {
    return this.clients.register(request);
  }
}

function detailsOf(client: string, { id, scope }: ProtectedResource): Record<string, string> {
  return { client, ...(id === "" ? {} : { gateway: id }), scope };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
