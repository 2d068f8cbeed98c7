// What was granted, in all the ways in which providers say it.
import type { Row } from "./table";

function granted(name: string, scope: unknown, stored: readonly string[], more: Partial<Row> = {}): Row {
  return {
    name: `scopes ${name}`,
    says: { token: { body: { access_token: "T", expires_in: 7200 * 2, scope } } },
    ...more,
    expects: { granted: stored, later: "T", ...more.expects },
  };
}

const DROPPED = { status: "failed", later: null } as const;

/** A well-known provider of the tests, which knows other names for scopes. */
export const SCOPES: readonly Row[] = [
  granted("by space", "a b", ["a", "b"]),
  granted("by comma", "a,b", ["a", "b"]),
  granted("by comma and space", "a, b", ["a", "b"]),
  granted("as a list", ["a", "b"], ["a", "b"]),
  granted("absent: as asked for", undefined, ["a", "b"]),
  granted("of null: as asked for", null, ["a", "b"]),
  granted("in another order, and more of them", "openid b z a", ["openid", "b", "z", "a"]),
  granted("in another case are others", "A b", ["A", "b"], {
    expects: { ...DROPPED, reason: "the user did not grant a" },
  }),
  granted("of which one was dropped", "a", ["a"], {
    expects: { ...DROPPED, reason: "the user did not grant b" },
  }),
  granted("of which all were dropped", "", [], {
    expects: { ...DROPPED, reason: "the user did not grant a, b" },
  }),
  granted("of the protocol alone never block", "a b", ["a", "b"], {
    scopes: ["a", "b", "openid", "offline_access"],
  }),
  granted(
    "renamed count as what was asked for",
    "a b https://p.example/auth/userinfo.email openid",
    ["a", "b", "https://p.example/auth/userinfo.email", "openid"],
    { record: { provider_id: "known" }, scopes: ["a", "b", "email", "offline_access"] },
  ),
  granted("renamed the other way round", "a b email", ["a", "b", "email"], {
    record: { provider_id: "known" },
    scopes: ["a", "b", "https://p.example/auth/userinfo.email"],
  }),
  granted("renamed in another way are missing", "a b e-mail", ["a", "b", "e-mail"], {
    record: { provider_id: "known" },
    scopes: ["a", "b", "email"],
    expects: { status: "failed", reason: "the user did not grant email", later: "T" },
  }),
  {
    name: "a refresh that grants less: what is left counts",
    says: {
      token: { body: { access_token: "T", refresh_token: "R", expires_in: 60, scope: "a b" } },
      refresh: { body: { access_token: "T2", expires_in: 60, scope: "a" } },
    },
    expects: { granted: ["a", "b"], later: null, grantedLater: ["a"] },
  },
  {
    name: "a refresh that does not speak of scopes: they stay",
    says: {
      token: { body: { access_token: "T", refresh_token: "R", expires_in: 60, scope: "a b c" } },
      refresh: { body: { access_token: "T2", expires_in: 60 } },
    },
    expects: { later: "T2", grantedLater: ["a", "b", "c"] },
  },
];
