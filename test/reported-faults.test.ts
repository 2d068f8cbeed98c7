// Faults that users of similar systems reported, and the number of tests that prevent each. Those tests carry the tag
// `[fault: name]` in their names. A test may be renamed freely. Removing one fails here; raise the number after adding one.
import { beforeAll, expect, test } from "bun:test";
import { listTests } from "./support/list-tests";

const FAULTS: Readonly<Record<string, readonly [tests: number, fault: string]>> = {
  "refresh-race": [4, "of two refreshes of a single-use token, the loser erases what the winner stored"],
  "stuck-refresh": [14, "a refresh stays marked as running after it failed"],
  "transient-refusal": [7, "a temporary failure ends a grant, or an ended grant is retried forever"],
  "lost-refresh-token": [4, "a second consent without a refresh token loses offline access"],
  "no-expiry": [3, "a token without expires_in is never refreshed"],
  "expired-token": [1, "an expired token without a refresh token is used"],
  "form-encoded-token": [2, "a form-encoded token response breaks the JSON parser"],
  "scope-separator": [21, "granted scopes are split on the wrong character"],
  "renamed-scopes": [6, "renamed, dropped or added scopes cause consent loops"],
  "concurrent-consents": [9, "two consents at the same time overwrite each other's state"],
  "refused-consent": [21, "a refused consent, or a callback without parameters, is a 500"],
  "html-in-error": [29, "error_description runs as HTML on our origin"],
  "secret-encoding": [2, "a client secret with + / : % = fails in Basic authentication"],
  "issuer-template": [13, "an issuer is a template, or its check is off for all tenants"],
  "clock-ahead": [11, "an issuer's clock runs a few seconds ahead"],
  "query-in-endpoint": [1, "the authorization address gets a second question mark"],
  "token-of-another-user": [13, "a user without a connection gets another user's token"],
  "endless-polling": [19, "polling ends only with a successful consent"],
  "tool-names": [2, "model APIs refuse tool names with dots"],
  "lost-session": [10, "after a restart, an old session id causes an opaque error"],
  "unknown-revision": [11, "an unknown protocol revision, or a missing header, is refused"],
  "notification-body": [4, "the answer to a notification has a body"],
  "silent-call": [4, "a long call sends no bytes, and a proxy closes it"],
  "tool-pages": [4, "a client sees only the first page of tools, or a cursor never advances"],
  "broken-schema": [1, "one broken schema breaks the whole list of tools"],
  "schema-references": [11, "models get schemas with unresolved or recursive references"],
  "strict-mode": [6, "strict mode with optional parameters or an open object is refused"],
  "gemini-keywords": [4, "Gemini refuses a request because of one unknown schema keyword"],
  "no-parameters": [6, "the schema of a tool without parameters is refused"],
  "values-as-text": [23, "models send numbers, booleans and lists as text, or objects instead of text"],
  "glued-calls": [8, "parallel calls in a stream share an index, and their arguments are joined"],
  "empty-arguments": [12, "empty or broken arguments of a call break the tool loop"],
  "missing-tool-message": [2, "after a failed call, the other calls of the turn get no tool message"],
  "split-frames": [6, "frames of a stream that are split at any byte are lost"],
  "upstream-reset": [5, "a model server fails during a stream, and the client sees a normal end"],
  "client-hangs-up": [6, "a client disconnects, and the request to the model server continues"],
  "lost-retry-hint": [6, "a model server's 429 loses its Retry-After"],
  "html-from-upstream": [8, "an HTML or empty answer of a model server hides its status"],
  "caller-mistakes": [7, "a caller's mistake is reported as a failure of the model server"],
  "content-parts": [14, "content in parts loses text or images"],
  "repeated-write": [4, "an automatic retry repeats a write that had succeeded"],
  "large-result": [6, "very large results are cut inside JSON or passed whole"],
  "slug-race": [17, "a slug is free when checked and taken when created, or two creations succeed"],
  "secret-line-end": [16, "a piped secret keeps its line end"],
  "wrong-root-key": [4, "a server starts with another root key, and nothing works"],
  orphans: [5, "deleting a provider or secret leaves records that still work"],
  "silent-request": [7, "the server closes a request that is silent for ten seconds"],
  "full-disk": [8, "a disk that is not writable causes unclear errors and unstable health"],
  "no-home-folder": [6, "without a home folder, commands crash or write to odd places"],
  "shared-port": [9, "a second server shares a port silently"],
  "address-family": [6, "the server listens on one address family, and callers use the other"],
  "private-authority": [16, "a private certificate authority or a proxy applies only to some calls"],
  "content-type": [19, "unusual content types or bodies break requests or the server"],
  preflight: [23, "a browser's preflight needs a credential, or every OPTIONS request goes without"],
  "page-limit": [116, "limit=-1 returns the whole table, limit=x is a 500"],
};

const counts = new Map<string, number>();
beforeAll(async () => {
  for (const name of await listTests()) {
    const tags = [...name.matchAll(/\[fault: ([\w-]+)\]/g)].map(([, tag = ""]) => tag);
    for (const tag of new Set(tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
}, 120_000);

test.each(Object.entries(FAULTS).map(([tag, [tests, fault]]) => [tag, fault, tests] as const))(
  "%s (%s) is prevented by at least %d tests",
  (tag, _fault, tests) => {
    expect(tests).toBeGreaterThan(0);
    expect(counts.get(tag)).toBeGreaterThanOrEqual(tests);
  },
);

test("every tag is in the table", () => {
  expect([...counts.keys()].filter((tag) => !(tag in FAULTS))).toEqual([]);
});
