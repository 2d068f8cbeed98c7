// What a plugin must obey beyond its schema. Each rule names the field that breaks it, and never repeats a value.
import type { X509Certificate } from "node:crypto";
import { nodeCrypto } from "../crypto";
import { type FieldError, malformedRequest } from "../errors";
import { addressFault } from "../providers";
import type { PatchPlugin } from "./schema";
import { POINTS } from "./terms";
import { signingKey } from "./signature";
import type { Credentials, Webhook } from "./stored";

/** Throws `malformed_request` with all broken rules. */
export function checkPlugin(webhook: Webhook, credentials: Credentials): void {
  refuse([...endpointFaults(webhook), ...healthFaults(webhook), ...authFaults(webhook, credentials)]);
}

/** Fields that belong to the hook of an endpoint do not change with the plugin: they would seem to. */
export function checkNothingOfHooks({ webhook_config }: PatchPlugin): void {
  const errors = POINTS.flatMap((point) =>
    (["phase", "failure_mode", "priority", "status"] as const)
      .filter((field) => webhook_config?.endpoints?.[point]?.[field] !== undefined)
      .map((field) =>
        fault(`endpoints.${point}.${field}`, "belongs to the hook: change it with PATCH /v1/hooks/{hook_id}"),
      ),
  );
  refuse(errors);
}

function endpointFaults({ endpoints }: Webhook): FieldError[] {
  const set = POINTS.filter((point) => endpoints[point] !== undefined);
  if (set.length === 0) return [fault("endpoints", "must have at least one of access, pre, post")];
  return set.flatMap((point) => {
    const url = endpoints[point]?.url ?? "";
    const message = url === "" ? "is required" : addressFault(url);
    return message === undefined ? [] : [fault(`endpoints.${point}.url`, message)];
  });
}

function healthFaults(webhook: Webhook): FieldError[] {
  if (webhook.health_check_path === undefined) return [];
  const address = healthAddress(webhook);
  const message = address === undefined ? "must be an address or a path" : addressFault(address);
  return message === undefined ? [] : [fault("health_check_path", message)];
}

/** Where the health of a webhook is asked; a path is one at the first endpoint. */
export function healthAddress({ health_check_path: path, endpoints }: Webhook): string | undefined {
  const first = POINTS.map((point) => endpoints[point]?.url).find((url) => url !== undefined);
  if (path === undefined) return undefined;
  return URL.parse(path, first)?.href;
}

function authFaults(webhook: Webhook, credentials: Credentials): FieldError[] {
  const { auth } = webhook;
  const { token, client_cert, client_key, signing_secret } = credentials;
  const errors: FieldError[] = [];
  if (auth.type === "bearer" && token === undefined)
    errors.push(fault("auth.token", "is required for bearer"));
  // HTTP carries no other characters in a header; nothing is trimmed, because nobody would see it.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    errors.push(fault("auth.token", "must be printable characters without spaces"));
  if (auth.type === "mtls" && client_cert === undefined)
    errors.push(fault("auth.client_cert", "is required for mtls"));
  if (auth.type === "mtls" && client_key === undefined)
    errors.push(fault("auth.client_key", "is required for mtls"));
  if (auth.type === "mtls") errors.push(...plainEndpoints(webhook));
  if (auth.ca_cert !== undefined && certificate(auth.ca_cert) === undefined)
    errors.push(fault("auth.ca_cert", "must be a certificate in PEM"));
  errors.push(...pairFaults(client_cert, client_key));
  if (signing_secret !== undefined && signingKey(signing_secret) === undefined)
    errors.push(fault("signing_secret", "must be 24 to 64 bytes as base64, with whsec_ before them"));
  return errors;
}

/** Over plain http nobody shows a certificate. */
function plainEndpoints({ endpoints }: Webhook): FieldError[] {
  return POINTS.filter((point) => endpoints[point]?.url.startsWith("http:")).map((point) =>
    fault(`endpoints.${point}.url`, "must be https for mtls"),
  );
}

function pairFaults(cert: string | undefined, key: string | undefined): FieldError[] {
  const parsed = cert === undefined ? undefined : certificate(cert);
  const privateKey = key === undefined ? undefined : keyOf(key);
  const errors: FieldError[] = [];
  if (cert !== undefined && parsed === undefined)
    errors.push(fault("auth.client_cert", "must be a certificate in PEM"));
  if (key !== undefined && privateKey === undefined)
    errors.push(fault("auth.client_key", "must be a private key in PEM without a passphrase"));
  if (parsed !== undefined && privateKey !== undefined && !parsed.checkPrivateKey(privateKey))
    errors.push(fault("auth.client_key", "does not belong to client_cert"));
  return errors;
}

function certificate(pem: string): X509Certificate | undefined {
  try {
    return pem.includes("-----BEGIN CERTIFICATE-----") ? new (nodeCrypto().X509Certificate)(pem) : undefined;
  } catch {
    return undefined;
  }
}

function keyOf(pem: string) {
  try {
    return nodeCrypto().createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

function fault(field: string, message: string): FieldError {
  return { field: `webhook_config.${field}`, rule: "webhook", message };
}

function refuse(errors: FieldError[]): void {
  if (errors.length === 0) return;
  const list = errors.map(({ field, message }) => `${field} ${message}`).join("; ");
  throw malformedRequest(`failed to validate request body: ${list}`, { fieldErrors: errors });
}
