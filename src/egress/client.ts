// The outbound client: one call is one exchange, or several when redirects are followed.
import { type Clock, type Log, systemClock } from "../base";
import { parseAllowList } from "./allow-list";
import { exchange, type Surroundings, whole } from "./exchange";
import { limitsOf } from "./limits";
import { outgoing, type Step } from "./outgoing";
import type { ProxySettings } from "./proxy";
import { follow, isRedirect, unexpectedRedirect } from "./redirect";
import { createResolver, type Resolve, systemResolve } from "./resolver";
import { asItComes } from "./stream";
import { parseTarget } from "./target";
import { type Egress, EgressError, type EgressRequest } from "./types";

export interface EgressOptions {
  /** Setting `egress.allow`. */
  allow: readonly string[];
  /** Setting `egress.timeout`, in milliseconds. */
  timeoutMs: number;
  /** Setting `egress.max_bytes`. */
  maxBytes: number;
  log: Log;
  /** PEM of certificate authorities to trust beside the system's (setting `egress.ca_file`). */
  authorities?: string | undefined;
  /** From `proxyFromEnvironment`; absent: none. */
  proxy?: ProxySettings | undefined;
  /** Default: the system's resolver. */
  resolve?: Resolve | undefined;
  clock?: Clock | undefined;
}

/**
 * Makes the one client through which everything goes out.
 * Throws `RuntimeError` `configuration` for an entry of `allow` that cannot be understood.
 *
 * @example
 * const egress = createEgress({ allow: [], timeoutMs: 30_000, maxBytes: 52_428_800, log });
 * const items = await readJson(await egress.fetch("https://api.example/items"));
 */
export function createEgress(options: EgressOptions): Egress {
  const clock = options.clock ?? systemClock;
  const surroundings: Surroundings = {
    allow: parseAllowList(options.allow),
    resolver: createResolver(options.resolve ?? systemResolve, clock),
    proxy: options.proxy,
    authorities: trusted(options.authorities),
    log: options.log,
    clock,
  };
  return { fetch: (url, request = {}) => run(surroundings, options, url, request) };
}

// A list of authorities replaces the defaults, so it must hold them too, NODE_EXTRA_CA_CERTS among them.
function trusted(authorities: string | undefined): string[] | undefined {
  if (authorities === undefined) return undefined;
  // Loaded for those who need it: it takes 2 ms, and most deployments name no authorities.
  return [...process.getBuiltinModule("node:tls").getCACertificates("default"), authorities];
}

async function run(
  surroundings: Surroundings,
  options: EgressOptions,
  url: string | URL,
  request: EgressRequest,
): Promise<Response> {
  let step: Step = { target: parseTarget(url), outgoing: outgoing(request) };
  const limits = limitsOf(request, options);
  // A body that comes as it arrives outlives this call, and disposes of its deadline itself.
  using unlessStreaming = new DisposableStack();
  unlessStreaming.use(limits.deadline);
  const read = request.streams ? asItComes : whole;
  let followed = 0;
  let answered = false;
  try {
    for (;;) {
      const response = await exchange(surroundings, step, limits, read);
      answered = true;
      if (!isRedirect(response)) {
        if (request.streams) unlessStreaming.move();
        return response;
      }
      if (request.redirects !== "follow") throw unexpectedRedirect(step.target);
      step = follow(step, response, followed++);
    }
  } catch (thrown) {
    throw answered ? asSent(thrown) : thrown;
  }
}

/** Whatever stops a later step, the first request did reach its target. */
function asSent(thrown: unknown): unknown {
  if (!(thrown instanceof EgressError) || thrown.maybeSent) return thrown;
  return new EgressError(thrown.reason, thrown.message, { maybeSent: true, cause: thrown.cause });
}
