// The clients of the authorization server: the command line, and those that have registered themselves. Clients with a metadata
// document have no record here: their id is the address of the document.
import type { JsonObject } from "../../base";
import type { Core } from "../../core";
import { DeletionTime, type Transaction } from "../../store";
import { DEFAULT_ID } from "../../identity";
import {
  addClient,
  clientPlace,
  type ClientRow,
  findClient,
  removeUnused,
  revokeClient,
  stampClient,
} from "./client-repository";
import { DEVICE_GRANT } from "./endpoints";
import { type ClientMetadata, isRegisteredId, metadataOf, Registrations } from "./registration";

/** The client of the command line, which everybody may use. */
export const COMMAND_LINE = "runtime-cli";
/** How long a registration works without being used. */
const UNUSED_MS = 90 * 86_400_000;

const COMMAND_LINE_METADATA: ClientMetadata = {
  client_id: COMMAND_LINE,
  client_name: "Runtime command line",
  redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback", "http://[::1]/callback"],
  grant_types: ["authorization_code", "refresh_token", DEVICE_GRANT],
  response_types: ["code"],
  response_modes: ["query"],
  token_endpoint_auth_method: "none",
  application_type: "native",
};

/** How a client came: with the product, by a metadata document, or by a registration. */
export type ClientOrigin = "built_in" | "document" | "registered";

export function originOf(clientId: string): ClientOrigin {
  if (clientId === COMMAND_LINE) return "built_in";
  return isRegisteredId(clientId) ? "registered" : "document";
}

export class Clients {
  readonly #core: Core;
  readonly #registrations: Registrations;
  readonly #deletionTime: DeletionTime;

  constructor(core: Core) {
    this.#core = core;
    this.#registrations = new Registrations(core);
    this.#deletionTime = new DeletionTime(core.clock);
  }

  /** Throws `RegistrationError`. */
  register(request: JsonObject): Promise<object> {
    return this.#registrations.register(request);
  }

  /** The metadata of a client; undefined for an unknown one, and for one with a metadata document. */
  async find(id: string): Promise<ClientMetadata | undefined> {
    if (id === COMMAND_LINE) return COMMAND_LINE_METADATA;
    if (!isRegisteredId(id)) return undefined;
    const { store, clock, keyring } = this.#core;
    const row = await findClient(store, id);
    const latest = clock.now() - UNUSED_MS;
    if (row !== undefined) {
      if (row.revoked_at !== null || row.used_at <= latest) return undefined;
      return metadataOf(await keyring.open(row.project_id, clientPlace(id), row.sealed_metadata));
    }
    const registered = await this.#registrations.read(id);
    return registered === undefined || registered.registeredAt <= latest ? undefined : registered.metadata;
  }

  /** A part of the transaction in which a person allows a client something. */
  async recording(metadata: ClientMetadata | undefined): Promise<() => Transaction<void>> {
    const [now, deletionTime] = [this.#core.clock.now(), this.#deletionTime];
    const row = metadata === undefined ? undefined : await this.#rowOf(metadata, now);
    return function* () {
      const time = yield* deletionTime.now();
      if (time !== undefined) yield* removeUnused(time - UNUSED_MS);
      if (row === undefined) return;
      yield* addClient(row);
      yield* stampClient(row.id, now);
    };
  }

  /** Ends a registration, so that its id works no more, and everything of the client in all projects. */
  revocation(id: string): Transaction<void> {
    return revokeClient(id, this.#core.clock.now());
  }

  async #rowOf(metadata: ClientMetadata, now: number): Promise<ClientRow> {
    const { client_id: id, client_name } = metadata;
    const text = JSON.stringify(metadata);
    return {
      id,
      project_id: DEFAULT_ID,
      name: client_name ?? null,
      sealed_metadata: await this.#core.keyring.seal(DEFAULT_ID, clientPlace(id), text),
      created_at: now,
      used_at: now,
      revoked_at: null,
    };
  }
}
