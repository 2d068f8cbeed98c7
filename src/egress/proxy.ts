// The operator's proxy, from the usual environment variables. `pin.ts` disables Bun's own handling of them, which would
// match NO_PROXY against the pinned address instead of the name.
import { Redacted } from "../base";
import type { Environment } from "../config";
import { configurationError } from "../errors";
import { isWithin, parseRange } from "./allow-list";
import { portOf, type Target } from "./target";

export interface Proxy {
  /** For messages, without user and password. */
  name: string;
  /** As configured, with user and password. */
  url: Redacted;
}

export interface ProxySettings {
  http: Proxy | undefined;
  https: Proxy | undefined;
  /** Entries of NO_PROXY: `*`, names (including their subdomains), addresses, ranges. A name may have a port. */
  bypass: readonly string[];
}

/**
 * Reads HTTPS_PROXY, HTTP_PROXY, ALL_PROXY (the fallback of both) and NO_PROXY. Lower-case names take precedence, as in
 * curl. Throws `RuntimeError` `configuration` if a value is not the address of an http(s) proxy.
 */
export function proxyFromEnvironment(env: Environment): ProxySettings {
  return {
    http: readProxy(env, "HTTP_PROXY") ?? readProxy(env, "ALL_PROXY"),
    https: readProxy(env, "HTTPS_PROXY") ?? readProxy(env, "ALL_PROXY"),
    bypass: (value(env, "NO_PROXY") ?? "")
      .toLowerCase()
      .split(/[\s,]+/)
      .filter((entry) => entry !== ""),
  };
}

/** The proxy for a target. Loopback is never proxied: it would be the loopback of the proxy's machine. */
export function proxyFor(target: Target, settings: ProxySettings | undefined): Proxy | undefined {
  const proxy = target.url.protocol === "https:" ? settings?.https : settings?.http;
  if (proxy === undefined || settings === undefined) return undefined;
  const local = target.host === "localhost" || target.host.endsWith(".localhost");
  if (local || target.literal?.kind === "loopback") return undefined;
  return settings.bypass.some((entry) => bypasses(target, entry)) ? undefined : proxy;
}

function bypasses(target: Target, entry: string): boolean {
  if (entry === "*") return true;
  const range = parseRange(entry);
  if (range !== undefined) return target.literal !== undefined && isWithin(target.literal.parsed, range);
  const [, name = "", port] = /^(?:\*?\.)?(.+?)\.?(?::(\d+))?$/.exec(entry) ?? [];
  if (port !== undefined && Number(port) !== portOf(target.url)) return false;
  return target.host === name || target.host.endsWith(`.${name}`);
}

function readProxy(env: Environment, name: string): Proxy | undefined {
  const text = value(env, name);
  if (text === undefined) return undefined;
  const address = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.hostname === "" || (url.protocol !== "http:" && url.protocol !== "https:")) {
    // The value is not repeated: it may contain a password.
    throw configurationError(`${name} is not the address of an http or https proxy (http://host:port).`);
  }
  return { name: url.origin, url: new Redacted(url.href) };
}

function value(env: Environment, name: string): string | undefined {
  const text = env[name.toLowerCase()] || env[name];
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
