// Every way in which a request gets no answer, as a tool's failure: the same in all catalogs.
import { expect, test } from "bun:test";
import { EgressError } from "../../src/egress";
import { endedBecause, networkFailureOf } from "../../src/tools";

const ROWS = [
  ["address_refused", "TOOL_RUNTIME_FATAL", false, false],
  ["not_resolved", "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", true, true],
  ["unreachable", "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", true, true],
  ["tls", "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", true, false],
  ["timeout", "NETWORK_TRANSPORT_RUNTIME_TIMEOUT", true, true],
  ["aborted", "NETWORK_TRANSPORT_RUNTIME_TIMEOUT", true, false],
  ["too_large", "UPSTREAM_RUNTIME_SERVER_ERROR", false, false],
  ["redirect_refused", "UPSTREAM_RUNTIME_SERVER_ERROR", false, false],
] as const;

test.each(ROWS)("%s is %s", (reason, kind, canRetry, transient) => {
  for (const maybeSent of [true, false]) {
    const failure = networkFailureOf(new EgressError(reason, "why", { maybeSent }), "chat.postMessage");

    expect(failure).toMatchObject({ transient, maybeDone: maybeSent, error: { kind, canRetry } });
    expect(failure.error.details.developerMessage).toBe(`chat.postMessage: ${reason}`);
    expect(endedBecause(failure.error, reason)).toBeTrue();
    expect(endedBecause(failure.error, reason === "tls" ? "timeout" : "tls")).toBeFalse();
  }
});

test("other exceptions are rethrown", () => {
  const fault = new TypeError("x");

  expect(() => networkFailureOf(fault)).toThrow(fault);
});
