// Rules for addresses that administrators enter.
import { mentions } from "./template";

const SECRETS = ["client_secret", "refresh_token", "access_token"] as const;

/** Why an address can never be valid, or undefined. The address policy decides about each call. */
export function addressFault(endpoint: string): string | undefined {
  const [path = ""] = endpoint.split("?");
  // Logs contain addresses without the query.
  if (SECRETS.some((name) => mentions(path, name))) return "must not contain a secret before its query";
  const withClient = endpoint.replaceAll(/\{\{\s*client_id\s*\}\}/g, "client");
  const [url, other] = ["x", "y"].map((value) => URL.parse(withClient.replaceAll(/\{\{[^{}]*\}\}/g, value)));
  if (url === undefined || url === null) return "must be an absolute address";
  // Callers choose the scopes, for example, so they must not choose the server.
  if (url.origin !== other?.origin)
    return "must not contain a placeholder other than client_id in its scheme, host or port";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must be an https address";
  // RFC 6749, sections 3.1 and 3.2.
  if (endpoint.includes("#")) return "must not contain a fragment";
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
  if (url.protocol === "http:" && isPublicHost(url.hostname)) return "must be https for a public host";
  return undefined;
}

/** Why an issuer can never be valid, or undefined (RFC 8414, section 2). */
export function issuerFault(issuer: string): string | undefined {
  return addressFault(issuer) ?? (issuer.includes("?") ? "must not contain a query" : undefined);
}

// A name with a dot, or an address outside the private ranges.
function isPublicHost(host: string): boolean {
  if (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host.endsWith(".internal") ||
    host.endsWith(".local")
  ) {
    return false;
  }
  if (host.startsWith("[")) return !/^\[(::1\]|f[cd]|fe[89ab])/.test(host);
  const local = /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(host) && /^[\d.]+$/.test(host);
  return host.includes(".") && !local;
}
