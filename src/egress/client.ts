// The outbound client. A call is one exchange, or several if redirects are followed.
import { type Clock, type Json, type Log, parseJson, present, Redacted, systemClock } from "../base";
import { parseAllowList } from "./allow-list";
import { BodyMemory } from "./bodies";
import { exchange, type ExchangeContext, wholeBody } from "./exchange";
import { limitsOf } from "./limits";
import { hasSecrets, outgoing, type Step } from "./outgoing";
import type { ProxySettings } from "./proxy";
import { follow, isRedirect, unexpectedRedirect } from "./redirect";
import { createResolver, type Resolve, systemResolve } from "./resolver";
import { ConnectionPool } from "./socket/pool";
import { streamedBody } from "./stream";
import { checkSecrets, nameOf, parseTarget, secretTarget } from "./target";
import { OutboundTurns } from "./turns";
import { noTelemetry, type Start, type Telemetry } from "../telemetry";
import { type Egress, EgressError, type EgressRequest } from "./types";

export interface EgressOptions {
  /** Setting `egress.allow`. */
  allow: readonly string[];
  /** Setting `egress.timeout`, in milliseconds. */
  timeoutMs: number;
  /** Setting `egress.max_bytes`. */
  maxBytes: number;
  /** Setting `egress.max_total_bytes`. Default: no limit. */
  maxTotalBytes?: number;
  log: Log;
  /** PEM of certificate authorities to trust in addition to the system's (setting `egress.ca_file`). */
  authorities?: string | undefined;
  /** From `proxyFromEnvironment`; absent: none. */
  proxy?: ProxySettings | undefined;
  /** Default: the system's resolver. */
  resolve?: Resolve | undefined;
  clock?: Clock | undefined;
  /** Default: nothing observes the requests. */
  telemetry?: Telemetry | undefined;
  /** Requests at the same time. Default: what Bun sends at a time. */
  places?: number | undefined;
}

/**
 * Creates the client through which all outbound requests go.
 * Throws `RuntimeError` `configuration` for an invalid entry of `allow`.
 *
 * @example
 * const egress = createEgress({ allow: [], timeoutMs: 30_000, maxBytes: 52_428_800, log });
 * const items = await readJson(await egress.fetch("https://api.example/items"));
 */
export function createEgress(options: EgressOptions): Egress {
  const clock = options.clock ?? systemClock;
  const turns = new OutboundTurns(options.places);
  const memory = new BodyMemory(options.maxTotalBytes ?? Infinity);
  const context: ExchangeContext = {
    allow: parseAllowList(options.allow),
    resolver: createResolver(options.resolve ?? systemResolve, clock),
    proxy: options.proxy,
    authorities: trusted(options.authorities),
    pool: new ConnectionPool(),
    log: options.log,
    clock,
  };
  const telemetry = options.telemetry ?? noTelemetry;
  return {
    fetch: (given, request = {}) => {
      const url = given instanceof URL ? given : (URL.parse(given) ?? undefined);
      return telemetry.observe("egress", observed(url, request), async (activity) => {
        try {
          const traced = withTrace(telemetry, url, request);
          const response = await run(context, { turns, memory, options }, url ?? given, traced);
          activity.end({ status: response.status, outcome: "ok" });
          return response;
        } catch (thrown) {
          if (thrown instanceof EgressError) activity.end({ status: undefined, outcome: thrown.reason });
          logRefusal(options.log, request, thrown);
          throw thrown;
        }
      });
    },
    load: () => turns.load(),
  };
}

function observed(
  url: URL | undefined,
  { group = "other", method = "GET", project }: EgressRequest,
): Start<"egress"> {
  const name = typeof group === "string" ? group : group.toolkit;
  return { group: name, method, url, project };
}

/** The request with the place in a trace, if the target may have it. Its secrets stay out of spans. */
function withTrace(telemetry: Telemetry, url: URL | undefined, request: EgressRequest): EgressRequest {
  telemetry.withhold(() => secretsOf(request));
  const trace = telemetry.headersFor(() => ({ groups: groupsOf(request), origin: url?.origin }));
  return trace === undefined ? request : { ...request, headers: { ...request.headers, ...present(trace) } };
}

function groupsOf({ group = "other" }: EgressRequest): string[] {
  if (typeof group === "string") return [group];
  return group.isWorker === true ? [group.toolkit, "worker"] : [group.toolkit];
}

function secretsOf({ address, tls, ...request }: EgressRequest): string[] {
  const values = [...outgoing(request).headers.values(), address, tls?.key];
  return values.filter((value) => value instanceof Redacted).map((value) => value.reveal());
}

// The caller may turn the error into one that says less.
function logRefusal(log: Log, { method = "GET", project }: EgressRequest, thrown: unknown): void {
  if (!(thrown instanceof EgressError) || thrown.reason !== "address_refused") return;
  log.refused("address policy", {
    error: thrown.reason,
    reason: thrown.message,
    method,
    project_id: project,
  });
}

// A list of authorities replaces the defaults, so it must include them, with those of NODE_EXTRA_CA_CERTS.
function trusted(authorities: string | undefined): string[] | undefined {
  if (authorities === undefined) return undefined;
  // Loaded only if needed: it takes 2 ms, and most deployments do not set authorities.
  return [...process.getBuiltinModule("node:tls").getCACertificates("default"), authorities];
}

async function run(
  context: ExchangeContext,
  { turns, memory, options }: { turns: OutboundTurns; memory: BodyMemory; options: EgressOptions },
  url: string | URL,
  request: EgressRequest,
): Promise<Response> {
  const { address } = request;
  const given = parseTarget(url);
  const target = address === undefined ? given : secretTarget(given.url, address.reveal());
  let step: Step = { target, outgoing: outgoing(request), project: request.project };
  checkSecrets(target, address !== undefined || hasSecrets(step.outgoing), request.secretsFor);
  const { project = "" } = request;
  // A streamed body outlives this call and disposes of its deadline itself.
  using unlessStreaming = new DisposableStack();
  const holder = request.holder ?? unlessStreaming;
  const limits = limitsOf(request, options, async (bytes, deadline) => {
    const taken = await memory.take(project, bytes, deadline, nameOf(step.target));
    holder.defer(taken.release);
    return taken;
  });
  unlessStreaming.use(limits.deadline);
  await turns.take(project, limits.deadline);
  const reader = request.streams ? streamedBody : wholeBody;
  let followed = 0;
  let answered = false;
  try {
    for (;;) {
      const response = await exchange(context, step, limits, reader);
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

/** If a later step fails, the first request has reached its target all the same. */
function asSent(thrown: unknown): unknown {
  if (!(thrown instanceof EgressError) || thrown.maybeSent) return thrown;
  return new EgressError(thrown.reason, thrown.message, { maybeSent: true, cause: thrown.cause });
}

/**
 * Reads the body of an answer as JSON; integers outside the safe range become strings with their exact digits.
 * Throws `SyntaxError` if it is not JSON; the message does not repeat the body, as a parser's would.
 */
export async function readJson(response: Response): Promise<Json> {
  const text = await response.text();
  try {
    return parseJson(text);
  } catch {
    throw new SyntaxError(`The answer (status ${response.status}, ${text.length} characters) is not JSON.`);
  }
}
