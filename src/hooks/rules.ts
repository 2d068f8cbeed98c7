// Validation of plugins beyond their schema. Errors name the field and never repeat a value.
import type { X509Certificate } from "node:crypto";
import { nodeCrypto } from "../crypto";
import { type FieldError, malformedRequest } from "../errors";
import { addressFault } from "../providers";
import type { PatchPlugin } from "./schema";
import { POINTS } from "./terms";
import { signingKey } from "./signature";
import type { Credentials, Webhook } from "./stored";

/** Throws `malformed_request` with all errors. */
export function checkPlugin(webhook: Webhook, credentials: Credentials): void {
  refuse([...endpointFaults(webhook), ...healthFaults(webhook), ...authFaults(webhook, credentials)]);
}

/** Throws `malformed_request` for fields of hooks, which a change of the plugin would not change. */
export function checkNoHookFields({ webhook_config }: PatchPlugin): void {
  const errors = POINTS.flatMap((point) =>
    (["phase", "failure_mode", "priority", "status"] as const)
      .filter((field) => webhook_config?.endpoints?.[point]?.[field] !== undefined)
      .map((field) =>
        fault(
          `endpoints.${point}.${field}`,
          "is a field of the hook: change it with PATCH /v1/hooks/{hook_id}",
        ),
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

/** The address of the health check; a path is relative to the first endpoint. */
export function healthAddress({ health_check_path: path, endpoints }: Webhook): string | undefined {
  const first = POINTS.map((point) => endpoints[point]?.url).find((url) => url !== undefined);
  if (path === undefined) return undefined;
  return URL.parse(path, first)?.href;
}

function authFaults({ auth, endpoints }: Webhook, credentials: Credentials): FieldError[] {
  const { token, client_cert, client_key, signing_secret } = credentials;
  const certificate = client_cert === undefined ? undefined : parseCertificate(client_cert);
  const key = client_key === undefined ? undefined : parseKey(client_key);
  const mtls = auth.type === "mtls";
  const checks: [isFault: boolean, field: string, message: string][] = [
    [auth.type === "bearer" && token === undefined, "auth.token", "is required for bearer"],
    // Other characters are not valid in a header. The token is not trimmed silently.
    [
      token !== undefined && !/^[\x21-\x7e]+$/.test(token),
      "auth.token",
      "must be printable characters without spaces",
    ],
    [mtls && client_cert === undefined, "auth.client_cert", "is required for mtls"],
    [mtls && client_key === undefined, "auth.client_key", "is required for mtls"],
    ...POINTS.map((point): [boolean, string, string] => [
      mtls && endpoints[point]?.url.startsWith("http:") === true,
      `endpoints.${point}.url`,
      "must be https for mtls",
    ]),
    [
      auth.ca_cert !== undefined && parseCertificate(auth.ca_cert) === undefined,
      "auth.ca_cert",
      "must be a certificate in PEM",
    ],
    [
      client_cert !== undefined && certificate === undefined,
      "auth.client_cert",
      "must be a certificate in PEM",
    ],
    [
      client_key !== undefined && key === undefined,
      "auth.client_key",
      "must be a private key in PEM without a passphrase",
    ],
    [
      certificate !== undefined && key !== undefined && !certificate.checkPrivateKey(key),
      "auth.client_key",
      "does not belong to client_cert",
    ],
    [
      signing_secret !== undefined && signingKey(signing_secret) === undefined,
      "signing_secret",
      "must be 24 to 64 bytes as base64, with the prefix whsec_",
    ],
  ];
  return checks.filter(([isFault]) => isFault).map(([, field, message]) => fault(field, message));
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return pem.includes("-----BEGIN CERTIFICATE-----") ? new (nodeCrypto().X509Certificate)(pem) : undefined;
  } catch {
    return undefined;
  }
}

function parseKey(pem: string) {
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
