// Faults that users of systems like this one reported about secrets, keys, deployments and HTTP, each with the tests
// that stand against it. A test that is renamed or gone leaves its row unproven, and this one fails.
import { type FieldCase, testFieldCases } from "../support/field-cases";

/** Every case there is, in the order of the list. */
const CASES = [
  "F062",
  "F065",
  "F067",
  "F079",
  "F082",
  "F083",
  "F085",
  "F086",
  "F087",
  "F088",
  "F089",
  "F090",
];

const ROWS: readonly FieldCase[] = [
  [
    "F062",
    "a piped secret keeps its line end",
    [
      ["cli/input.test.ts", "a piped secret loses exactly one line end"],
      ["server/secrets.test.ts", "keeps a value with %s as it was sent"],
      ["tools/platform-access.test.ts", "with a line end after it is the same address (F062)"],
      ["server/execute.test.ts", "must be there, is handed over exactly, and its loss is named"],
    ],
  ],
  [
    "F065",
    "another root key: all looks fine and nothing works",
    [
      [
        "server/recovery.test.ts",
        "is refused at the start, naming where the key came from, and nothing is overwritten",
      ],
      ["server/recovery.test.ts", "works again with its own key"],
      [
        "server/recovery.test.ts",
        "a root key that is another one now makes health 503 with that reason, and 200 when it is back",
      ],
      ["processes/rotation.test.ts", "five rotations beside a server under load: no request fails"],
    ],
  ],
  [
    "F067",
    "what is deleted in use leaves orphans that still work",
    [
      [
        "server/provider-deletion.test.ts",
        "its connections and pending consents go in one step, pollers learn it at once",
      ],
      [
        "server/provider-deletion.test.ts",
        "a provider of the same id and address finds nothing of the old one",
      ],
      ["server/provider-deletion.test.ts", "does not go on at %s, not even when the provider is made again"],
      ["server/execute.test.ts", "must be there, is handed over exactly, and its loss is named"],
    ],
  ],
  [
    "F079",
    "a request that is silent for ten seconds is closed",
    [
      [
        "server/polling.test.ts",
        "twelve seconds without an event end in an answer, not in a closed connection",
      ],
      ["long/long-poll.long.ts", "auth-status waits 59 seconds and answers pending"],
      ["long/slow-answers.long.ts", "a tool of 95 s and a model of 40 s are answered, side by side"],
    ],
  ],
  [
    "F082",
    "a disk that cannot be written: odd errors, flapping health",
    [
      ["processes/disks.test.ts", "a data folder of mode 0555"],
      ["processes/disks.test.ts", "%s of mode 0444"],
      ["processes/disks.test.ts", "a folder that is not there and cannot be made"],
      ["processes/disks.test.ts", "a disk with room for files of %i blocks"],
      [
        "processes/disks.test.ts",
        "a disk that fills up under a running server: 503 and 500, reads go on, nothing acknowledged is lost",
      ],
      [
        "server/recovery.test.ts",
        "a database file that is destroyed under a running server: 503, no crash, no insides",
      ],
    ],
  ],
  [
    "F083",
    "without a home folder the command line dies or writes to odd places",
    [
      ["cli/process.test.ts", "%s: the version is told"],
      ["cli/process.test.ts", "commands work with flags and a root key, and write nowhere else"],
      ["cli/process.test.ts", "what needs a folder says which setting is missing, in one line"],
      ["processes/disks.test.ts", "runs commands with flags and environment, and leaves nothing in /"],
    ],
  ],
  [
    "F085",
    "a second server shares the port without a word",
    [
      [
        "server/bind.test.ts",
        "a port that another server of ours has is refused at once, and that server goes on",
      ],
      ["server/bind.test.ts", "%s is refused as not an address of this machine"],
      ["server/bind.test.ts", "%s is reported as: %s"],
      ["cli/serve.test.ts", "a second server on the port fails at once and says why"],
    ],
  ],
  [
    "F086",
    "the server listens on one address family, the caller uses the other",
    [["server/bind.test.ts", "listening on %s it can be reached at the address it prints"]],
  ],
  [
    "F087",
    "a private authority or a proxy counts for some calls and not for others",
    [
      [
        "processes/private-ca.test.ts",
        "trusted by NODE_EXTRA_CA_CERTS, by egress.ca_file: consent, tool and model all work",
      ],
      ["processes/private-ca.test.ts", "trusted by nobody: each fails, and says that it is the certificate"],
      ["processes/private-ca.test.ts", "a machine without any network starts, and commands work"],
      ["egress/proxy.test.ts", "each scheme has its own; lower case wins; the scheme may be missing"],
      ["egress/proxy.test.ts", "a host in NO_PROXY is resolved, checked and pinned as without a proxy"],
      ["egress/proxy.test.ts", "a dead proxy is named without its password"],
      ["egress/tls.test.ts", "fails even where the environment switches the check off"],
      ["rules.test.ts", "src outside egress makes no outbound call by %s"],
    ],
  ],
  [
    "F088",
    "edges of the content type break requests, or the server",
    [
      ["server/bodies.test.ts", "of a DELETE without a body does not matter"],
      ["server/bodies.test.ts", '["application/json; charset=UTF-8", 200]'],
      ["server/bodies.test.ts", '["text/plain", 415]'],
      ["server/bodies.test.ts", "none with a body is 415"],
      ["server/bodies.test.ts", '["cut JSON", '],
      ["server/bodies.test.ts", "is 413 before it is sent"],
      ["server/bodies.test.ts", "is 413 in chunks without a length"],
    ],
  ],
  [
    "F089",
    "a browser's question needs a credential, or all OPTIONS go without",
    [
      ["server/cors.test.ts", "needs no credential and is 204 without a body"],
      ["server/cors.test.ts", "of %p is refused like any wrong method, and told nothing"],
      ["server/cors.test.ts", "%s is 404 and names what is allowed"],
      ["server/cors.test.ts", "with status %i of %s may be read by the allowed origin only"],
      ["server/wire.test.ts", "%s answers %d like GET, without a body"],
      [
        "interop/pages.test.ts",
        "an allowed page reads answers and errors; another reads nothing, and nothing is done for it",
      ],
    ],
  ],
  [
    "F090",
    "limit=-1 is the whole table, a text is a 500",
    [
      ["server/paging.test.ts", "%s is 400 and names the parameter"],
      ["server/paging.test.ts", "never sends more than a hundred"],
      ["server/paging.test.ts", "limit=101 is cut to 100, in what is said and in what is sent"],
      ["server/paging.test.ts", "page after page is the whole list, each item once, in one order"],
    ],
  ],
];

testFieldCases(CASES, ROWS);
