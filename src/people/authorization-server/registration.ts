// Dynamic registration (RFC 7591) that stores nothing: the id of a client contains what it has registered and a code that only
// this installation can make (appendix A.5.2), so registrations cannot fill the database or push out others. A row is made when
// a person allows the client something.
import { isObject, type JsonObject, present } from "../../base";
import type { Core } from "../../core";
import { sameSecret } from "../../crypto";
import { InstallationSecret, type KeyOf } from "../installation-secret";
import { MAX_CLIENT_ID } from "./client-id";
import { applicationType, redirectFault } from "./redirect-uris";

const PREFIX = "dcr_";
const CODE_BYTES = 16;
/** So that two that register the same are two clients. */
const RANDOM_BYTES = 8;
const MAX_NAME = 100;
const METHODS = ["none", "client_secret_basic", "client_secret_post"] as const;
const GRANTS = ["authorization_code", "refresh_token"] as const;
const MINUTE_MS = 60_000;

/** Metadata of a client, with the names of RFC 7591. */
export interface ClientMetadata {
  client_id: string;
  client_name?: string;
  client_secret?: string;
  redirect_uris: string[];
  grant_types: string[];
  response_types: string[];
  response_modes: string[];
  token_endpoint_auth_method: string;
  application_type: "native" | "web";
}

/** Of a client that is not in the database. */
export interface Registered {
  metadata: ClientMetadata;
  /** Milliseconds. */
  registeredAt: number;
}

/** `error`: of RFC 7591, section 3.2.2. */
export class RegistrationError extends Error {
  readonly error: "invalid_redirect_uri" | "invalid_client_metadata";

  constructor(error: RegistrationError["error"], message: string) {
    super(message);
    this.error = error;
  }
}

export class Registrations {
  readonly #core: Pick<Core, "clock" | "random">;
  readonly #secret: InstallationSecret;

  constructor(core: Core) {
    this.#core = core;
    this.#secret = new InstallationSecret(core);
  }

  /** The answer to a registration. Throws `RegistrationError`. */
  async register(request: JsonObject): Promise<object> {
    const minutes = Math.floor(this.#core.clock.now() / MINUTE_MS);
    const { name, uris, method, grants } = checked(request);
    const text = JSON.stringify([minutes, name ?? 0, METHODS.indexOf(method), grants.length, ...uris]);
    const body = Buffer.concat([this.#core.random(RANDOM_BYTES), Buffer.from(text)]);
    const id = PREFIX + Buffer.concat([await idCode(this.#secret.keyOf, body), body]).toString("base64url");
    if (id.length > MAX_CLIENT_ID)
      throw new RegistrationError(
        "invalid_client_metadata",
        "The registration is too long: shorten its addresses.",
      );
    const {
      application_type: _type,
      response_modes: _modes,
      ...metadata
    } = await metadataFor(this.#secret.keyOf, id, { name, uris, method, grants });
    return {
      ...metadata,
      client_id_issued_at: minutes * 60,
      ...(method === "none" ? {} : { client_secret_expires_at: 0 }),
    };
  }

  /** What a client has registered. Undefined for an id that this installation has not made. */
  async read(id: string): Promise<Registered | undefined> {
    if (!isRegisteredId(id)) return undefined;
    const bytes = Buffer.from(id.slice(PREFIX.length), "base64url");
    const body = bytes.subarray(CODE_BYTES);
    const code = bytes.subarray(0, CODE_BYTES).toString("hex");
    for (const keyOf of this.#secret.known)
      if (sameSecret(code, (await idCode(keyOf, body)).toString("hex"))) return registeredIn(keyOf, id, body);
    return undefined;
  }
}

/** `body`: made by `register`. */
async function registeredIn(keyOf: KeyOf, id: string, body: Buffer): Promise<Registered> {
  const [minutes, name, method, grants, ...uris] = JSON.parse(
    body.subarray(RANDOM_BYTES).toString("utf8"),
  ) as [number, string | 0, number, number, ...string[]];
  const metadata = await metadataFor(keyOf, id, {
    name: name === 0 ? undefined : name,
    uris,
    method: METHODS[method] ?? "none",
    grants: GRANTS.slice(0, grants),
  });
  return { metadata, registeredAt: minutes * MINUTE_MS };
}

async function metadataFor(
  keyOf: KeyOf,
  id: string,
  { name, uris, method, grants }: Checked,
): Promise<ClientMetadata> {
  const secret = (await codeOf(keyOf, "secret", Buffer.from(id))).toString("base64url");
  return {
    client_id: id,
    ...present({ client_name: name, client_secret: method === "none" ? undefined : secret }),
    redirect_uris: [...uris],
    grant_types: [...grants],
    response_types: ["code"],
    response_modes: ["query"],
    token_endpoint_auth_method: method,
    application_type: applicationType(uris),
  };
}

async function idCode(keyOf: KeyOf, body: Uint8Array): Promise<Buffer> {
  return (await codeOf(keyOf, "id", body)).subarray(0, CODE_BYTES);
}

/** 32 bytes. */
async function codeOf(keyOf: KeyOf, purpose: "id" | "secret", text: Uint8Array): Promise<Buffer> {
  const key = await keyOf(`${purpose} of a client that registers itself`);
  return new Bun.CryptoHasher("sha256", key).update(text).digest();
}

export function isRegisteredId(id: string): boolean {
  return id.length <= MAX_CLIENT_ID && /^dcr_[A-Za-z0-9_-]{40,}$/.test(id);
}

interface Checked {
  name: string | undefined;
  uris: readonly string[];
  method: (typeof METHODS)[number];
  grants: readonly string[];
}

function checked(request: JsonObject): Checked {
  const { redirect_uris, client_name, grant_types, response_types } = request;
  const fault = redirectFault(redirect_uris);
  if (fault !== undefined) throw new RegistrationError("invalid_redirect_uri", `${fault}.`);
  const method = request["token_endpoint_auth_method"] ?? "client_secret_basic";
  const known = METHODS.find((one) => one === method);
  if (known === undefined) throw invalid(`token_endpoint_auth_method must be one of ${METHODS.join(", ")}.`);
  const grants = grant_types ?? ["authorization_code"];
  if (!Array.isArray(grants) || !grants.includes("authorization_code"))
    throw invalid("grant_types must contain authorization_code.");
  if (response_types !== undefined && !(Array.isArray(response_types) && response_types.includes("code")))
    throw invalid("response_types must contain code.");
  if (client_name !== undefined && typeof client_name !== "string")
    throw invalid("client_name must be a text.");
  return {
    name: client_name?.trim().slice(0, MAX_NAME) || undefined,
    // Checked by `redirectFault`.
    uris: redirect_uris as string[],
    method: known,
    grants: GRANTS.filter((one) => grants.includes(one)),
  };
}

function invalid(message: string): RegistrationError {
  return new RegistrationError("invalid_client_metadata", message);
}

/** Metadata that this installation has stored. */
export function metadataOf(text: string): ClientMetadata {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error("the metadata of a client is not a JSON object");
  // Written by `Clients` only.
  return value as unknown as ClientMetadata;
}
