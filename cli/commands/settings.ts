// `runtime settings`: how the project verifies that the right user gives a consent.
import type { SessionVerification, UpdateSessionVerification } from "../../src/settings";
import { clientVerb, operation } from "../client/client";
import { defined, type Line } from "../command";
import { UsageError } from "../errors";
import { printRecord, type Shape } from "../output";

const SETTINGS = "/v1/admin/settings/session_verification";

const getSettings = operation<[], SessionVerification>({
  direct: ({ runtime, principal }) => runtime.settings.get(principal),
  remote: (server) => server.get(SETTINGS),
});

const updateSettings = operation<[change: UpdateSessionVerification], SessionVerification>({
  direct: async ({ runtime, principal, checked }, change) => {
    const { UpdateSessionVerificationSettingsRequest } = await import("../../src/settings/schema");
    const request = checked(UpdateSessionVerificationSettingsRequest, change);
    return runtime.settings.update(principal, request);
  },
  remote: (server, change) => server.send("PUT", SETTINGS, change),
});

const SHAPE: Shape<SessionVerification> = {
  name: () => "session_verification",
  columns: [
    { title: "verifier", value: ({ verifier_url }) => verifier_url ?? "built-in check" },
    {
      title: "check",
      value: ({ unsafe_skip_verification }) => (unsafe_skip_verification ? "skipped (unsafe)" : "on"),
    },
    {
      title: "skipping allowed",
      value: ({ unsafe_skip_verification_choice_allowed }) =>
        unsafe_skip_verification_choice_allowed ? "yes" : "no",
    },
  ],
};

export const verbs = [
  clientVerb({
    usage: "show",
    summary: "Show what verifies that the right user gives a consent.",
    examples: ["runtime settings show", "runtime settings show -o json"],
    read: () => ({}),
    run: async ({ io, common, client }) => printRecord(io, common, await getSettings(client), SHAPE),
  }),
  clientVerb({
    usage: "update",
    summary: "Use your own verifier, or the built-in check.",
    examples: [
      "runtime settings update --verifier-url https://app.example.com/verify",
      "runtime settings update --no-verifier",
    ],
    flags: [
      { flag: "--verifier-url <address>", meaning: "your own verifier" },
      { flag: "--no-verifier", meaning: "the built-in check" },
      {
        flag: "--unsafe-skip-verification <choice>",
        meaning: "on or off: consents complete without a check of the user, if the deployment allows it",
      },
    ],
    read: (line) => ({ change: changeIn(line) }),
    run: async ({ io, common, client }, { change }) =>
      printRecord(io, common, await updateSettings(client, change), SHAPE),
  }),
];

function changeIn(line: Line): UpdateSessionVerification {
  const verifier_url = line.text("verifier-url");
  const builtIn = !line.has("verifier");
  if (builtIn && verifier_url !== undefined)
    throw new UsageError("--verifier-url and --no-verifier exclude each other.");
  const skip = line.choice("unsafe-skip-verification", ["on", "off"]);
  const change = {
    ...(builtIn ? { verifier_url: null } : defined({ verifier_url })),
    ...(skip === undefined ? {} : { unsafe_skip_verification: skip === "on" }),
  };
  if (Object.keys(change).length > 0) return change;
  throw new UsageError("Nothing to change. Use --verifier-url, --no-verifier or --unsafe-skip-verification.");
}
