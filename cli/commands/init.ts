// `runtime init`: a default user and the first keys, step by step at a terminal, by flags without one.
import type { ApiKey } from "../../src/identity";
import { refuseServer } from "../client/client";
import { type Common, type Noun, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { printRecord } from "../output";
import { type Session, withSession } from "../session";
import { ensureNamedFile, rememberUser } from "../user-file";

export const init: Noun = {
  name: "init",
  summary: "set up this machine: the default user and API keys",
  verbs: [
    verb({
      usage: "init",
      summary:
        "Set up this machine: name the user that commands act for, and make an admin and a run key. Asks at a terminal; " +
        "without one --user or --yes is needed.",
      examples: ["runtime init", "runtime init --user alice --yes"],
      flags: [
        { flag: "--user <user>", meaning: "user that commands act for when --user is not given" },
        { flag: "-y, --yes", meaning: "take all proposals; do not ask" },
      ],
      read: (line) => ({ user: line.text("user"), yes: line.given("yes") }),
      run: runInit,
    }),
  ],
};

interface InitOptions {
  user: string | undefined;
  yes: boolean;
}

async function runInit(io: Io, common: Common, options: InitOptions): Promise<void> {
  refuseServer(common, "init");
  ensureNamedFile(common.config ?? io.env["RUNTIME_CONFIG"]);
  await withSession(io, common, async (session) => {
    const { config, runtime, principal } = session;
    const user = await userFor(io, session, options);
    const makeKeys = await keysWanted(io, session, options);
    const file = rememberUser(config, user);
    const keys = makeKeys ? await newKeys(session) : [];
    const [admin, run] = keys;
    const made = { user, config_file: file, data_dir: config.dataFolder(), keys };
    printRecord(io, common, made, { name: () => user, columns: [] }, [
      ["user", user],
      ["configuration", file],
      ["data", config.dataFolder()],
      ["admin key", admin?.key],
      ["run key", run?.key],
    ]);
    if (makeKeys) io.note("The keys are shown only now. Give agents the run key; it can change no settings.");
    else io.note("There are API keys already. More are made with: runtime keys create NAME");
    const { items } = await runtime.providers.list(principal);
    if (items.length === 0) io.note("Next: runtime (says what is missing)");
  });
}

async function userFor(io: Io, { config }: Session, { user, yes }: InitOptions): Promise<string> {
  if (user !== undefined) return checkedUser(user);
  const proposal = config.settings.user ?? (io.env["USER"] || io.env["LOGNAME"] || undefined);
  if (io.interactive && !yes)
    return checkedUser(await io.prompts.ask("User that commands act for", proposal));
  if (yes && proposal !== undefined) return checkedUser(proposal);
  throw new UsageError("There is no terminal to ask at. Name the user: runtime init --user USER.");
}

function checkedUser(user: string): string {
  if (/^[^\p{Cc}]{1,256}$/u.test(user) && user.trim() !== "") return user;
  throw new UsageError("The user is a text of 1 to 256 characters on one line.");
}

async function keysWanted(io: Io, { runtime, principal }: Session, { yes }: InitOptions): Promise<boolean> {
  const present = await runtime.identity.hasKeys(principal.projectId);
  if (!io.interactive || yes) return !present;
  const question = present
    ? "There are API keys already. Make another admin and run key?"
    : "Make an admin and a run key?";
  return io.prompts.confirm(question, !present);
}

async function newKeys({ runtime, principal }: Session): Promise<ApiKey[]> {
  return [
    await runtime.identity.createKey(principal, { name: "init admin", role: "admin" }),
    await runtime.identity.createKey(principal, { name: "init run", role: "run" }),
  ];
}
