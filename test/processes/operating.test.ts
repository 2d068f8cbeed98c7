// The operations guide, word for word, on machines with nothing but the executable: every block of docs/operating.md that
// holds commands, as a user without a name, on a system that cannot be written.
import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildEarlier, buildExecutable } from "./support/built";
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

/** What the installer leaves: folders that other programs use, too. */
const EMPTY_FOLDERS: readonly string[] = [];

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
  expect(site.machine.contents().filter((path) => !before.includes(path))).toEqual(EMPTY_FOLDERS);
}, 180_000);

test("an installation of the executable before backups is upgraded, and goes back", async () => {
  const earlier = buildEarlier(folder);
  await using site = await startSite(earlier ?? executable);
  await follow(site, [...sections("What it needs", "Get the file and check it")]);
  // The earlier version knows no backups, and does not create this file.
  await site.session.run('touch "$RUNTIME_CONFIG"');
  const known = sections("Settings", "Certificate", "First start", "A provider", "A key for the application");
  const held: string[] = [];
  for (const block of known) {
    const lines = block.text.split("\n");
    held.push(...lines.filter((line) => line.includes("backup.")));
    await follow(site, [{ ...block, text: lines.filter((line) => !line.includes("backup.")).join("\n") }]);
  }
  await follow(site, sections("Users and their consents").slice(0, 1));
  await putRelease(join(site.machine.folder, "media/new"), executable);

  const upgraded = await follow(site, marked("upgrade, as root"));
  await site.session.run(held.join("\n"));
  const after = await follow(site, marked("upgrade"));

  expect(upgraded).toContain("is installed");
  expect(after).toContain("before-schema-");
  expect(after).toContain("alice");
  expect(await follow(site, marked("downgrade"))).toContain("alice");
}, 180_000);
