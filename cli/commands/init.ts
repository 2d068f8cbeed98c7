// `runtime init`: sets the default user and creates the first keys, with prompts at a terminal or by flags.
import { MAX_USER_ID, callerIdFault } from "../../src/base";
import type { ApiKey } from "../../src/identity";
import { refuseServer } from "../client/client";
import { type Common, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { printRecord } from "../output";
import { placeOf } from "../place";
import { rootKeyFileOf, type Session, withSession } from "../session";
import { ensureNamedFile, storeUser } from "../user-file";

export const verbs = [
  verb({
    usage: "init",
    summary:
      "Set up this machine: set the user that commands act for, and create an admin and a run key. Without a terminal, " +
      "--user or --yes is required.",
    examples: ["runtime init", "runtime init --user alice --yes"],
    flags: [
      { flag: "--user <user>", meaning: "user that commands act for by default" },
      { flag: "-y, --yes", meaning: "do not ask for confirmation; accept all defaults" },
    ],
    read: (line) => ({ user: line.text("user"), yes: line.has("yes") }),
    run: runInit,
  }),
];

const ROOT_KEY_NOTE =
  "Keep a copy of the root key apart from the data: without it, nothing that is stored can be decrypted.";

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
    const makeKeys = await wantsKeys(io, session, options);
    const file = await storeUser(config, user);
    const keys = makeKeys ? await newKeys(session) : [];
    const [admin, run] = keys;
    const rootKey = rootKeyFileOf(config);
    const place = config.database() === undefined ? config.dataFolder() : await placeOf(config);
    const made = {
      user,
      config_file: file,
      data_dir: config.dataFolder(),
      root_key_file: rootKey ?? null,
      keys,
    };
    printRecord(io, common, made, {
      name: () => user,
      columns: [],
      lines: () => [
        ["user", user],
        ["configuration", file],
        ["data", place],
        ["root key", rootKey],
        ["admin key", admin?.key],
        ["run key", run?.key],
      ],
    });
    if (makeKeys)
      io.note("The keys are shown only now. Give agents the run key, which cannot change settings.");
    else io.note("There are API keys already. To create more: runtime keys create NAME");
    // A command before this one may have created it without a word, in a script.
    if (makeKeys && rootKey !== undefined && !(io.interactive && session.newKey !== undefined))
      io.note(ROOT_KEY_NOTE);
    const { items } = await runtime.providers.list(principal);
    if (items.length === 0) io.note("Next: runtime (shows what is missing)");
  });
}

async function userFor(io: Io, { config }: Session, { user, yes }: InitOptions): Promise<string> {
  if (user !== undefined) return checkedUser(user);
  const suggestion = config.settings.user ?? (io.env["USER"] || io.env["LOGNAME"] || undefined);
  if (io.interactive && !yes)
    return checkedUser(await io.prompts.ask("User that commands act for", suggestion));
  if (yes && suggestion !== undefined) return checkedUser(suggestion);
  throw new UsageError("The prompts need a terminal. Without one: runtime init --user USER.");
}

function checkedUser(user: string): string {
  const fault = callerIdFault(user);
  if (fault === undefined) return user;
  throw new UsageError(`The user ${fault}. Choose an id of at most ${MAX_USER_ID} visible characters.`);
}

async function wantsKeys(io: Io, { runtime, principal }: Session, { yes }: InitOptions): Promise<boolean> {
  const present = await runtime.identity.hasKeys(principal.projectId);
  if (!io.interactive || yes) return !present;
  const question = present
    ? "There are API keys already. Create another admin and run key?"
    : "Create an admin and a run key?";
  return io.prompts.confirm(question, !present);
}

async function newKeys({ runtime, principal }: Session): Promise<ApiKey[]> {
  return [
    await runtime.identity.createKey(principal, { name: "init admin", role: "admin" }),
    await runtime.identity.createKey(principal, { name: "init run", role: "run" }),
  ];
}
