// Which addresses an administrator may enter.
import { mentions } from "./template";

const SECRETS = ["client_secret", "refresh_token", "access_token"] as const;

// Whether the address may be called is decided at every call by the address policy; here only what can never be right.
export function addressFault(endpoint: string): string | undefined {
  const [path = ""] = endpoint.split("?");
  // The log shows addresses without their query.
  if (SECRETS.some((name) => mentions(path, name))) return "must not hold a secret before its query";
  const url = URL.parse(endpoint.replaceAll(/\{\{[^{}]*\}\}/g, "x"));
  if (url === null) return "must be an absolute address";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must be an https address";
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password";
  if (url.protocol === "http:" && isPublicHost(url.hostname)) return "must be https for a public host";
  return undefined;
}

// A dotted name, or an address outside the ranges that never leave a site.
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
