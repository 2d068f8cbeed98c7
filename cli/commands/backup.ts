// `runtime backup`: backups of the data folder, also of one that servers use.
import { existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import type { DescribedBackup, ListedBackup, MadeBackup, VerifiedBackup } from "../../src/backup";
import type { Config } from "../../src/config";
import { configurationError, notFound } from "../../src/errors";
import { refuseServer, withDataFolder } from "../client/client";
import { openingCopies } from "../backup-copies";
import { type Common, verb } from "../command";
import { counted } from "../counted";
import { EXIT } from "../errors";
import { readText } from "../input";
import type { Io } from "../io";
import { print, printList, printRecord, type Shape } from "../output";
import { printable } from "../printable";
import { withProgress } from "../progress";
import { fileProblem } from "../report";
import { loadCommonConfig } from "../session";

const IDENTITY = {
  flag: "--identity <file>",
  meaning: "file with the secret key of age that opens an encrypted backup",
};

export const verbs = [
  verb({
    usage: "create <file>",
    summary:
      "Back up the data folder, also while servers use it: both databases, the settings without secrets, and a manifest. The " +
      "root key is never in a backup: keep it elsewhere. On the data folder only.",
    examples: [
      "runtime backup create runtime.backup",
      'runtime backup create runtime.backup.age --recipient "$(age-keygen -y age.key)"',
    ],
    flags: [
      {
        flag: "--recipient <key>",
        meaning: "encrypt it for this public key of age; may be repeated. Default: backup.recipients",
        repeat: true,
      },
    ],
    read: (line) => ({ file: line.word(0), recipients: line.texts("recipient") }),
    run: create,
  }),
  verb({
    usage: "verify <file>",
    summary:
      "Check a backup: every byte, both databases, the audit trail, and with the root key of this machine a sample of what is " +
      "sealed. Changes nothing. Exits 1 if anything is wrong.",
    examples: [
      "runtime backup verify runtime.backup",
      "runtime backup verify runtime.backup.age --identity age.key -o json",
    ],
    flags: [IDENTITY],
    read: (line) => ({ file: line.word(0), identity: line.text("identity") }),
    run: verify,
  }),
  verb({
    usage: "restore <file>",
    summary:
      "Check a backup and put it into the data folder, which must not contain an installation: give another one with " +
      "--data-dir. Scheduled runs that were due since the backup only run if they may run twice.",
    examples: ["runtime backup restore runtime.backup --data-dir restored"],
    flags: [IDENTITY],
    read: (line) => ({ file: line.word(0), identity: line.text("identity") }),
    run: restore,
  }),
  verb({
    usage: "show <file>",
    summary: "Show what a backup says about itself, without checking it.",
    examples: ["runtime backup show runtime.backup"],
    read: (line) => ({ file: line.word(0) }),
    run: show,
  }),
  verb({
    usage: "list [folder]",
    summary: "List the backups in a folder, newest first. Default: backup.folder.",
    examples: ["runtime backup list", "runtime backup list /var/backups -o json"],
    read: (line) => ({ folder: line.optionalWord(0) }),
    run: list,
  }),
];

const MADE: Shape<MadeBackup> = {
  name: ({ file }) => file,
  columns: [
    { title: "file", value: ({ file }) => file },
    { title: "bytes", value: ({ bytes }) => String(bytes) },
    { title: "encrypted", value: ({ encrypted }) => (encrypted ? "yes" : "no") },
    { title: "root key", value: ({ manifest }) => manifest.root_key_id },
  ],
};

async function create(
  io: Io,
  common: Common,
  { file, recipients }: { file: string; recipients: readonly string[] | undefined },
): Promise<void> {
  refusePostgres(await loadCommonConfig(io, common), "create");
  await endInOrder(io);
  await withDataFolder(io, common, "backup create", async ({ config, runtime }) => {
    const { createBackup } = await import("../../src/backup");
    const making = createBackup({
      folder: config.dataFolder(),
      file,
      recipients: recipients ?? config.settings["backup.recipients"],
      settings: config.explicitSettings(),
      now: runtime.core.clock.now(),
      sign: (heads) => runtime.inspection.signed(heads),
    });
    const made = await withProgress(io, "Backing up", making);
    printRecord(io, common, made, MADE);
    io.note(
      `It does not contain the root key (${made.manifest.root_key_id}), without which it cannot be used. Keep that key elsewhere.`,
    );
  });
}

async function verify(
  io: Io,
  common: Common,
  { file, identity }: { file: string; identity: string | undefined },
): Promise<number> {
  refuseServer(common, "backup verify");
  await endInOrder(io);
  checkFile(file);
  const { verifyBackup } = await import("../../src/backup");
  const identities = await identitiesOf(io, identity);
  const config = await loadCommonConfig(io, common);
  const checking = verifyBackup({
    file,
    identities,
    // On a small system without a folder for temporary files, a backup may be on a medium that cannot be written.
    temporary: [tmpdir(), dirname(resolve(file)), ...existingDataFolder(config)],
    open: openingCopies(io, common).open,
  });
  const verified = await withProgress(io, "Checking the backup", checking);
  printVerified(io, common, file, verified);
  return verified.problems.length === 0 ? EXIT.ok : EXIT.error;
}

async function restore(
  io: Io,
  common: Common,
  { file, identity }: { file: string; identity: string | undefined },
): Promise<void> {
  refuseServer(common, "backup restore");
  await endInOrder(io);
  checkFile(file);
  const [{ restoreBackup }, config, identities] = await Promise.all([
    import("../../src/backup"),
    loadCommonConfig(io, common),
    identitiesOf(io, identity),
  ]);
  refusePostgres(config, "restore");
  const folder = config.dataFolder();
  const copies = openingCopies(io, common);
  const restoring = restoreBackup({ file, identities, open: copies.open, folder, now: Date.now() });
  const { manifest, opened } = await withProgress(io, "Restoring", restoring);
  print(io, common.output, { data_dir: folder, ...summaryOf(manifest), opened }, () => `${folder}\n`);
  io.note(`The backup of ${manifest.created_at} was restored. Users may have to consent again.`);
  if (opened === undefined)
    io.note(`Before you start a server, set the root key ${manifest.root_key_id}: RUNTIME_ROOT_KEY_FILE`);
  const { oldKeyFile } = copies;
  if (oldKeyFile !== undefined)
    io.note(`It needs an old root key. Start servers on it with RUNTIME_ROOT_KEY_FILE=${oldKeyFile}`);
}

/** A signal ends the command, but not before the copies of databases that it has made are removed. */
async function endInOrder(io: Io): Promise<void> {
  const { removeWorkFolders } = await import("../../src/backup");
  io.onStop(() => {
    removeWorkFolders();
    process.exit(EXIT.interrupted);
  });
}

/** Throws `configuration` if the installation is not in files. */
function refusePostgres(config: Config, verb: string): void {
  if (config.settings["database.url"] === undefined) return;
  throw configurationError(
    `runtime backup ${verb} works on the files of a data folder, but database.url is set (${config.originOf("database.url")}). ` +
      "Back up and restore PostgreSQL with its own means, pg_dump or continuous archiving (docs/scaling.md); for the data " +
      "folder, unset database.url.",
  );
}

function summaryOf({ created_at, version, root_key_id, audit_heads }: VerifiedBackup["manifest"]): object {
  return { created_at, version, root_key_id, audit_heads };
}

function printVerified(io: Io, common: Common, file: string, verified: VerifiedBackup): void {
  const { manifest, opened, otherKey, problems } = verified;
  const ok = problems.length === 0;
  print(io, common.output, { file, ok, problems, opened: opened ?? null, manifest }, () =>
    problems.map((problem) => `${printable(problem)}\n`).join(""),
  );
  if (!ok) {
    io.note(`${counted(problems.length, "problem")}. Do not rely on this backup.`);
    return;
  }
  io.note(io.notePaint.green(`The backup of ${manifest.created_at} is good (runtime ${manifest.version}).`));
  if (opened !== undefined) {
    io.note(`The root key of this machine has opened ${counted(opened, "sealed value")}.`);
    return;
  }
  const missing =
    otherKey === undefined
      ? "There is no root key on this machine"
      : `The root key of ${otherKey.source} is another one (${otherKey.id})`;
  io.note(
    `${missing}, so sealed values were not opened. They need the key ${manifest.root_key_id}. To open them, set ` +
      "RUNTIME_ROOT_KEY_FILE for this command to the file with that key.",
  );
}

function existingDataFolder(config: Config): string[] {
  if (config.settings.data_dir === undefined) return [];
  const folder = config.dataFolder();
  return existsSync(folder) ? [folder] : [];
}

/** Throws `not_found`, and what the file system throws for a file that it does not show. */
function checkFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw notFound(`${file} does not exist.`);
  if (found.isDirectory()) throw notFound(`${file} is a folder. Give the file of a backup.`);
}

async function identitiesOf(io: Io, file: string | undefined) {
  if (file === undefined) return [];
  const [{ identitiesIn }, { Redacted }] = await Promise.all([
    import("../../src/backup"),
    import("../../src/base"),
  ]);
  return identitiesIn(await readText(io, file, "--identity")).map((text) => new Redacted(text));
}

const LISTED: Shape<ListedBackup> = {
  name: ({ file }) => file,
  optional: ["version", "schema", "root_key_id"],
  columns: [
    { title: "file", keep: "always", value: ({ file }) => file },
    { title: "created", keep: "whole", value: ({ created_at }) => created_at },
    { title: "bytes", value: ({ bytes }) => String(bytes) },
    { title: "version", value: ({ version, encrypted }) => version ?? (encrypted ? "encrypted" : "") },
    { title: "root key", value: ({ root_key_id }) => root_key_id },
  ],
};

const DESCRIBED: Shape<DescribedBackup> = {
  ...LISTED,
  optional: ["version", "schema", "root_key_id", "settings"],
  columns: [
    ...LISTED.columns,
    {
      title: "settings",
      value: ({ settings }) => settings && textOfSettings(settings),
    },
  ],
};

function textOfSettings(settings: object): string {
  const texts = Object.entries(settings).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return texts.length === 0 ? "the defaults" : texts.join(" ");
}

async function show(io: Io, common: Common, { file }: { file: string }): Promise<void> {
  refuseServer(common, "backup show");
  checkFile(file);
  const { describeBackup } = await import("../../src/backup");
  const found = await describeBackup(file);
  if (found === undefined) throw notFound(`${file} is not a backup.`);
  printRecord(io, common, found, DESCRIBED);
}

async function list(io: Io, common: Common, { folder }: { folder: string | undefined }): Promise<void> {
  refuseServer(common, "backup list");
  const config = await loadCommonConfig(io, common);
  const place = folder ?? config.backupFolder();
  if (place === undefined)
    throw configurationError("Give a folder, or set backup.folder (RUNTIME_BACKUP_FOLDER).");
  if (!existsSync(place)) throw notFound(`${place} does not exist.`);
  const { listBackups } = await import("../../src/backup");
  const { backups, unreadable } = await listBackups(place);
  const none = unreadable.length === 0 ? "" : " that can be read";
  printList(io, common, backups, LISTED, `There are no backups in this folder${none}.`);
  for (const error of unreadable) io.note(`warning: ${printable(fileProblem(error) ?? error.message)}`);
}
