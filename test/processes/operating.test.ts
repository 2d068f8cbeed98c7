// The operations guide, word for word, on machines with nothing but the executable: every block of docs/operating.md that
// holds commands, as a user without a name, on a system that cannot be written.
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OLD_ROOT_KEY, writeOldSchema } from "../store/old-schemas";
import { buildEarlier, buildExecutable, EARLIER_SCHEMA } from "./support/built";
import { testInEmptyRoot as test } from "./support/empty-root";
import { carry, type GuideBlock, putRelease, readGuide, type Site, startSite } from "./support/guide";

const folder = mkdtempSync(join(tmpdir(), "runtime-guide-"));
const GUIDE = readGuide();
let executable = "";

beforeAll(() => {
  executable = buildExecutable(folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

/** Blocks that are run on another machine, or by another test. */
const ELSEWHERE = ["on the restored machine", "upgrade", "upgrade, as root", "downgrade"];

/** The media, and the blocks that the test has put there. */
const NOT_OF_THE_MACHINE = /^(?:media|blocks)(?:\/|$)/;

async function follow(site: Site, blocks: readonly GuideBlock[]): Promise<string> {
  let printed = "";
  for (const block of blocks) {
    const said = await site.run(block);
    printed += said;
    if (block.mark === "alice consents") {
      const address = /https:\S+/.exec(said)?.[0] ?? "";
      expect(await site.consent(address)).toBe("200");
    }
  }
  return printed;
}

const marked = (mark: string): GuideBlock[] => GUIDE.filter((block) => block.mark === mark);
const sections = (...names: string[]): GuideBlock[] => GUIDE.filter(({ section }) => names.includes(section));

test("the whole path, from the file to its removal", async () => {
  await using site = await startSite(executable);
  const before = site.machine.contents();
  const here = GUIDE.filter(({ mark = "" }) => !ELSEWHERE.includes(mark));
  const restoration = here.findIndex(({ section }) => section === "New keys");
  const end = here.findIndex(({ section }) => section === "Uninstall");

  const printed = await follow(site, here.slice(0, restoration));
  for (const said of ["Hello from the site", "redirect_uri"]) expect(printed).toContain(said);

  {
    await using other = await startSite(executable, site);
    await follow(other, sections("What it needs", "Get the file and check it"));
    carry(site, other, "/var/backups/runtime/first.backup");
    expect(await follow(other, marked("on the restored machine"))).toContain("Restored");
  }
  await follow(site, here.slice(restoration, end));
  await follow(site, here.slice(end));
  const left = site.machine.contents().filter((path) => !before.includes(path));
  expect(left.filter((path) => !NOT_OF_THE_MACHINE.test(path))).toEqual([]);
}, 180_000);

test("an installation of the executable before backups is upgraded, and goes back", async () => {
  const earlier = buildEarlier(folder);
  await using site = await startSite(earlier ?? executable);
  await follow(site, sections("What it needs", "Get the file and check it"));
  const user = earlier === undefined ? "ada" : "alice";
  const held = await (earlier === undefined ? putEarlierData(site) : setUpEarlier(site));
  await putRelease(join(site.machine.folder, "media/new"), executable);

  const upgraded = await follow(site, marked("upgrade, as root"));
  await site.session.run(held.join("\n"));
  const [lines = ""] = marked("upgrade").map(({ text }) => text);
  // The platforms of the fixture do not exist.
  const after = await site.session.run(earlier === undefined ? lines.replace("runtime doctor", ":") : lines);

  expect(upgraded).toContain("is installed");
  expect(after).toContain("before-schema-");
  expect(after).toContain(user);
  expect(await follow(site, marked("downgrade"))).toContain(user);
}, 180_000);

/** Follows the guide with the earlier executable. Returns the lines that it does not know. */
async function setUpEarlier(site: Site): Promise<string[]> {
  // It does not create this file, has no backups, and does not show the process of its server.
  await site.session.run('touch "$RUNTIME_CONFIG"');
  const known = sections("Settings", "Certificate", "First start", "A provider", "A key for the application");
  const held: string[] = [];
  for (const block of [...known, ...sections("Users and their consents").slice(0, 1)]) {
    const lines = block.text.split("\n");
    held.push(...lines.filter((line) => line.includes("backup.")));
    const others = lines.filter((line) => !line.includes("backup."));
    const text = others.join("\n").replaceAll(/^until .*/gm, "sleep 3");
    await follow(site, [{ ...block, text }]);
  }
  return held;
}

/** Where the earlier sources are missing: a data folder that they have left, and a process in place of the server. */
async function putEarlierData(site: Site): Promise<string[]> {
  process.stderr.write("The commit before backups is not in this checkout: its data folder is a fixture.\n");
  const data = join(site.machine.folder, "var/lib/runtime");
  writeOldSchema(EARLIER_SCHEMA, data);
  writeFileSync(join(site.machine.folder, "etc/runtime/root.key"), OLD_ROOT_KEY, { mode: 0o600 });
  await site.machine.shell("chown -R 990:990 /var/lib/runtime /etc/runtime");
  await follow(site, sections("Settings", "Certificate"));
  await site.session.run("sleep 600 &\necho $! > /var/lib/runtime/serve.pid\n");
  return [];
}
