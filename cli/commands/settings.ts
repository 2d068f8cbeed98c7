// `runtime settings`: how the project makes sure that a consent is given by the right person.
import type { SessionVerification, UpdateSessionVerification } from "../../src/settings";
import { withClient } from "../client/client";
import { getSettings, updateSettings } from "../client/settings";
import { type Common, type Noun, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { printRecord, type Shape } from "../output";

export const settings: Noun = {
  name: "settings",
  summary: "how consents are verified in the project",
  verbs: [
    verb({
      usage: "show",
      summary: "Show who checks that a consent is given by the right person.",
      examples: ["runtime settings show", "runtime settings show -o json"],
      read: () => ({}),
      run: show,
    }),
    verb({
      usage: "update",
      summary: "Name the verifier of your own, or go back to the built-in check.",
      examples: [
        "runtime settings update --verifier-url https://app.example.com/verify",
        "runtime settings update --no-verifier",
      ],
      flags: [
        { flag: "--verifier-url <address>", meaning: "your own verifier" },
        { flag: "--no-verifier", meaning: "the built-in check" },
        {
          flag: "--unsafe-skip-verification <choice>",
          meaning: "on or off: consents complete without a check of the user, where the deployment allows it",
        },
      ],
      read: (line) => ({
        verifierUrl: line.text("verifier-url"),
        builtIn: !line.given("verifier"),
        skip: line.choice("unsafe-skip-verification", ["on", "off"]),
      }),
      run: update,
    }),
  ],
};

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

async function show(io: Io, common: Common): Promise<void> {
  await withClient(io, common, async (client) => printRecord(io, common, await getSettings(client), SHAPE));
}

interface UpdateSettings {
  verifierUrl: string | undefined;
  builtIn: boolean;
  skip: "on" | "off" | undefined;
}

async function update(io: Io, common: Common, { verifierUrl, builtIn, skip }: UpdateSettings): Promise<void> {
  if (builtIn && verifierUrl !== undefined)
    throw new UsageError("--verifier-url and --no-verifier exclude each other.");
  const change: UpdateSessionVerification = {
    ...(builtIn ? { verifier_url: null } : {}),
    ...(verifierUrl === undefined ? {} : { verifier_url: verifierUrl }),
    ...(skip === undefined ? {} : { unsafe_skip_verification: skip === "on" }),
  };
  if (Object.keys(change).length === 0)
    throw new UsageError(
      "Nothing to change: give --verifier-url, --no-verifier or --unsafe-skip-verification.",
    );
  await withClient(io, common, async (client) => {
    printRecord(io, common, await updateSettings(client, change), SHAPE);
  });
}
