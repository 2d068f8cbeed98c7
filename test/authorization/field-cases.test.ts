// Faults that users of such brokers reported (consent, tokens, scopes, polling), each with the tests that keep it away.
// The table is checked: a test that is renamed or removed must take its row along.
import { type FieldCase, testFieldCases } from "../support/field-cases";

/** Every case there is, in the order of the list. */
const CASES = [
  "F001",
  "F003",
  "F004",
  "F006",
  "F007",
  "F008",
  "F010",
  "F012",
  "F013",
  "F015",
  "F017",
  "F018",
  "F019",
  "F021",
  "F022",
  "F023",
  "F026",
  "F027",
];

const ROWS: readonly FieldCase[] = [
  [
    "F001",
    "two refreshes of one single-use token, and the loser wipes what the winner saved",
    [
      ["connections/refresh.test.ts", "is refreshed once for 20 calls at a time, and all succeed (F001)"],
      ["connections/refresh.test.ts", "leaves the newest refresh token in the store: the next refresh works"],
      ["processes/storm.test.ts", "with %s: one refresh, 200 successes"],
    ],
  ],
  [
    "F003",
    "a marker of a refresh in progress outlives the failed refresh",
    [
      ["connections/refresh-failures.test.ts", "%s is an answer to try again, and the next call refreshes"],
      [
        "connections/refresh-failures.test.ts",
        "no answer in time is the same, and others do not notice (F003)",
      ],
      [
        "processes/storm.test.ts",
        "(%s): one more refresh, and all 200 succeed, some when they try again as they are told",
      ],
    ],
  ],
  [
    "F004",
    "trouble that passes kills a grant, or a dead grant is tried for ever",
    [
      [
        "connections/refresh-failures.test.ts",
        "an answer that was lost is not the end; only the next refusal is (F004 a)",
      ],
      [
        "connections/refresh.test.ts",
        "that was lost makes no refusal final: the pair of the other process counts (F004 b)",
      ],
      ["connections/refresh-failures.test.ts", "503 with HTML (F004 c)"],
      ["connections/refresh-failures.test.ts", "%s needs consent again, says why, and is not tried again"],
    ],
  ],
  [
    "F006",
    "the second consent brings no refresh token and offline access is lost",
    [
      [
        "connections/refreshed-grant.test.ts",
        "without a refresh token in it, the earlier one is kept (F006)",
      ],
      ["connections/reconsent.test.ts", "%s keeps the earlier refresh token when no new one came (F006)"],
      [
        "authorization/no-refresh-token.test.ts",
        "the consent is completed, and its record warns that the grant will expire",
      ],
    ],
  ],
  [
    "F007",
    "no expires_in, so no refresh ever",
    [
      ["connections/refused-token.test.ts", "a token %s is refreshed once and the tool repeated once"],
      ["connections/refused-token.test.ts", "the grant is dead: consent again, and no loop"],
    ],
  ],
  [
    "F008",
    "an expired token without refresh token is handed out",
    [["connections/refresh-failures.test.ts", "is not handed out once it has expired (F008)"]],
  ],
  [
    "F010",
    "a form-encoded answer breaks the JSON parser",
    [
      [
        "connections/token-request.test.ts",
        "sends what the standard asks for, as a form, and asks for JSON (F010)",
      ],
      ["connections/token-request-answers.test.ts", "form-encoded (F010)"],
    ],
  ],
  [
    "F012",
    "granted scopes are split on the wrong character",
    [
      ["connections/token-answer.test.ts", "scope (F012)"],
      ["authorization/consent.test.ts", "both are granted when the provider says so %s (F012)"],
      ["authorization/consent.test.ts", "all are granted if the provider returns no scope (F012)"],
      ["authorization/consent.test.ts", "one in another case is a different one"],
      [
        "authorization/address.test.ts",
        "joins scopes with the provider's own separator, under its own name (F012)",
      ],
    ],
  ],
  [
    "F013",
    "renamed, dropped or added scopes make consent loop",
    [
      ["authorization/scope-names.test.ts", "%s: completed, and no second consent is needed"],
      [
        "authorization/scope-names.test.ts",
        "a tool that needs long names is granted %s: requirements, authorize and execute agree",
      ],
    ],
  ],
  [
    "F015",
    "two consents at once overwrite each other's state",
    [
      ["server/callback.test.ts", "%s, complete on their own"],
      ["authorization/consent.test.ts", "end each on its own, %s"],
      ["server/callback.test.ts", "after the end is 400, asks the provider nothing and changes nothing"],
      ["authorization/callback.test.ts", "is refused %s, and nothing changes (F015)"],
    ],
  ],
  [
    "F017",
    "a refusal or a bare callback is a 500",
    [
      ["server/callback.test.ts", "error=%s ends the consent with a reason and wakes its poller"],
      ["server/callback.test.ts", "%s is 400 and changes nothing"],
      ["authorization/callback.test.ts", "%s is refused with 400 (F017)"],
    ],
  ],
  [
    "F018",
    "error_description runs as HTML on our origin",
    [
      ["server/callback.test.ts", "error=%s ends the consent with a reason and wakes its poller"],
      ["authorization/callback/checks.test.ts", "%s becomes a reason (F018)"],
      ["authorization/redirect-attacks.test.ts", "a path that speaks of another site sends nobody there:"],
    ],
  ],
  [
    "F019",
    "a client secret with + / : % = fails in Basic",
    [
      [
        "connections/token-request.test.ts",
        "goes form-encoded in the header with client_secret_basic, and not in the body",
      ],
      [
        "connections/token-request.test.ts",
        "goes as it is in the header with client_secret_basic_raw, and not in the body",
      ],
    ],
  ],
  [
    "F021",
    "an issuer that is a template, or a check that is off for all",
    [
      ["identity/user-tokens-refused.test.ts", "the issuer that discovery names (F021)"],
      ["identity/issuer-template.test.ts", "a token of the tenant that is named is accepted"],
      ["identity/issuer-template.test.ts", "an issuer %s does not fit, and nothing is accepted"],
    ],
  ],
  [
    "F022",
    "a clock that runs a few seconds ahead",
    [["identity/user-tokens-refused.test.ts", "a clock that is not quite ours (F022)"]],
  ],
  [
    "F023",
    "a second question mark in the provider's address",
    [
      [
        "authorization/address.test.ts",
        "keeps the query of the endpoint, without a second question mark (F023)",
      ],
    ],
  ],
  [
    "F026",
    "a user without a connection gets another's token",
    [
      ["connections/isolation.test.ts", "%s gets no token"],
      ["server/connections.test.ts", "not even when bob calls at the same time"],
      ["identity/user-tokens.test.ts", "a user without a connection does not get another's (F026)"],
      [
        "authorization/matrix/matrix.test.ts",
        "in 1,000 interleavings no call bears another's token and nobody is served without a consent",
      ],
    ],
  ],
  [
    "F027",
    "a poller knows only success as an end",
    [
      ["server/polling.test.ts", "when the provider says no"],
      ["server/polling.test.ts", "when another process finishes the consent"],
      ["authorization/status.test.ts", "for a consent that was %s in another process"],
      ["authorization/status.test.ts", "a consent that expires ends the wait"],
      ["server/polling.test.ts", 'const bad = ["60", "-1", "1.5", "abc"'],
    ],
  ],
];

testFieldCases(CASES, ROWS);
