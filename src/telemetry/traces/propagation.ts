// Who gets `traceparent` with our requests: the setting `telemetry.propagate`.
import type { TraceTarget } from "../telemetry";

export class Propagation {
  readonly #entries: ReadonlySet<string>;
  readonly #suffixes: readonly string[];

  /** `entries`: host groups, toolkits, hosts with an optional port, and `.suffix` for all subdomains. */
  constructor(entries: readonly string[]) {
    this.#entries = new Set(entries.flatMap((entry) => [entry, entry.toLowerCase()]));
    this.#suffixes = entries.filter((entry) => entry.startsWith(".")).map((entry) => entry.toLowerCase());
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  includes({ groups, origin }: TraceTarget): boolean {
    if (groups.some((group) => this.#entries.has(group))) return true;
    const url = origin === undefined ? null : URL.parse(origin);
    if (url === null) return false;
    const { hostname, host } = url;
    const port = url.port === "" ? (url.protocol === "https:" ? ":443" : ":80") : "";
    if (this.#entries.has(hostname) || this.#entries.has(host) || this.#entries.has(host + port)) return true;
    return this.#suffixes.some((suffix) => hostname.endsWith(suffix) || `${host}${port}`.endsWith(suffix));
  }
}
