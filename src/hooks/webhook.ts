// Calls a webhook: authenticated, signed if configured, within its timeout, with retries if configured. Any answer other
// than JSON with a 2xx status is a failure.
import { type Json, parseJson, Redacted } from "../base";
import type { Core } from "../core";
import { EgressError, type TlsOptions } from "../egress";
import { newToken } from "../crypto";
import { signatureHeaders } from "./signature";
import type { EffectiveRetry } from "./stored";

/** The address of a webhook and how to call it. */
export interface Target {
  url: string;
  /** For all attempts together. */
  timeoutMs: number;
  retry: EffectiveRetry;
  authorization: Redacted | undefined;
  tls: TlsOptions | undefined;
  /** Every key that signs: the current one first, then the one that it replaced, until then. Empty: not signed. */
  signingKeys: readonly { key: Buffer; until: number }[];
  /** The origins that the credentials were given for. */
  origins: readonly string[];
  /** The project of the plugin's record. */
  projectId: string;
}

type Cause = "5xx" | "timeout" | "connection_error" | "final";

/** No usable answer. `reason` is for the log: it contains no part of the answer and no address. */
export class WebhookFailure extends Error {
  override readonly name = "WebhookFailure";
  readonly reason: string;
  readonly kind: Cause;

  constructor(reason: string, kind: Cause = "final", cause?: unknown) {
    super(`the webhook gave no usable answer: ${reason}`, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.kind = kind;
  }
}

/** A replaced output may be large. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_DELAY_MS = 10_000;

/**
 * Posts the body and returns the JSON of the answer. If timeouts are retried, each attempt gets an equal share of the
 * remaining time. Throws `WebhookFailure`.
 */
export async function callWebhook(
  core: Core,
  target: Target | WebhookFailure,
  body: string,
  signal?: AbortSignal,
): Promise<Json> {
  if (target instanceof WebhookFailure) throw target;
  const { retry, signingKeys } = target;
  // The same for every attempt. Only signed requests have an id.
  const id = signingKeys.length === 0 ? "" : `msg_${newToken(core.random).slice(0, 27)}`;
  const attempts = retry.enabled ? retry.max_attempts : 1;
  const end = performance.now() + target.timeoutMs;
  for (let attempt = 1; ; attempt++) {
    const left = end - performance.now();
    const share = retry.enabled && retry.retry_on.includes("timeout") ? attempts - attempt + 1 : 1;
    try {
      return await once(core, target, { id, body, timeoutMs: left / share, signal });
    } catch (error) {
      if (!(error instanceof WebhookFailure)) throw error;
      const delay = delayOf(retry, attempt);
      const again = attempt < attempts && error.kind !== "final" && retry.retry_on.includes(error.kind);
      if (!again || signal?.aborted === true || performance.now() + delay >= end) throw error;
      await core.clock.sleep(delay, signal).catch(() => undefined);
    }
  }
}

function delayOf({ backoff, base_delay_ms }: EffectiveRetry, attempt: number): number {
  return Math.min(backoff === "fixed" ? base_delay_ms : base_delay_ms * 2 ** (attempt - 1), MAX_DELAY_MS);
}

interface Attempt {
  id: string;
  body: string;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

async function once(core: Core, target: Target, attempt: Attempt): Promise<Json> {
  const { id, body, timeoutMs, signal } = attempt;
  const { signingKeys, authorization, tls } = target;
  const now = core.clock.now();
  const keys = signingKeys.filter(({ until }) => until > now).map(({ key }) => key);
  let response: Response;
  try {
    response = await core.egress.fetch(target.url, {
      group: "hook",
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...(authorization === undefined ? {} : { authorization }),
        ...(keys.length === 0 ? {} : signatureHeaders(keys, id, Math.floor(now / 1000), body)),
      },
      body,
      tls,
      project: target.projectId,
      secretsFor: target.origins,
      timeoutMs: Math.max(1, Math.ceil(timeoutMs)),
      maxBytes: MAX_BYTES,
      signal,
    });
  } catch (error) {
    throw error instanceof EgressError ? failureOf(error) : error;
  }
  const { status } = response;
  if (status >= 500) throw new WebhookFailure(`status ${status}`, "5xx");
  if (status < 200 || status >= 300) throw new WebhookFailure(`status ${status}`);
  return jsonOf(await response.text());
}

function failureOf(error: EgressError): WebhookFailure {
  const { reason } = error;
  if (reason === "timeout") return new WebhookFailure(reason, "timeout", error);
  const connection = reason === "unreachable" || reason === "not_resolved";
  return new WebhookFailure(reason, connection ? "connection_error" : "final", error);
}

function jsonOf(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw new WebhookFailure("not JSON");
  }
}
