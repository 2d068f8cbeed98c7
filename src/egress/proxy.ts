// The operator's proxy, read from the environment variables that every program reads. Bun's own reading of them is
// switched off in `pin.ts`: it would match NO_PROXY against the pinned address instead of the name.
import { Redacted } from "../base";
import type { Environment } from "../config";
import { configurationError } from "../errors";
import { isWithin, parseRange } from "./allow-list";
import type { Target } from "./target";

export interface Proxy {
  /** For messages: without user and password. */
  name: string;
  /** As configured, with user and password. */
  url: Redacted;
}

export interface ProxySettings {
  http: Proxy | undefined;
  https: Proxy | undefined;
  /** Entries of NO_PROXY: `*`, names (which cover the names below them), addresses, ranges; a name may have a port. */
  bypass: readonly string[];
}

/**
 * Reads HTTPS_PROXY, HTTP_PROXY, ALL_PROXY for what has none of its own, and NO_PROXY; the lower-case names win, as in
 * curl.
 * Throws `RuntimeError` `configuration` for an address that is not one of an http(s) proxy.
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

/** The proxy for a target. Loopback is never proxied: the proxy's loopback is another machine's. */
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
  if (port !== undefined && port !== portOf(target.url)) return false;
  return target.host === name || target.host.endsWith(`.${name}`);
}

function portOf(url: URL): string {
  return url.port !== "" ? url.port : url.protocol === "https:" ? "443" : "80";
}

function readProxy(env: Environment, name: string): Proxy | undefined {
  const text = value(env, name);
  if (text === undefined) return undefined;
  const address = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.hostname === "" || (url.protocol !== "http:" && url.protocol !== "https:")) {
    // Not repeated: it may hold a password.
    throw configurationError(`${name} is not the address of an http or https proxy (http://host:port).`);
  }
  return { name: url.origin, url: new Redacted(url.href) };
}

function value(env: Environment, name: string): string | undefined {
  const text = env[name.toLowerCase()] || env[name];
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
