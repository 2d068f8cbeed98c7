// `runtime help TOPIC`: every page of the documentation, at the terminal and for programs.
import { describe, expect, test } from "bun:test";
import { nouns } from "../../cli/nouns";
import { TOPICS } from "../../cli/topics";
import { readPages, shelves } from "../../src/documentation";
import { main } from "../../cli/program";
import { fakeIo, newTerminal } from "../cli/support/fake-io";

const PAGES = await readPages();
const COMMANDS = new Set(nouns.map(({ name }) => name));
const help = (...words: string[]) => newTerminal().run(["help", ...words]);

describe("the page", () => {
  test.each([...PAGES.values()].map(({ name, title }) => [name, title]))("%s", async (name, title) => {
    const { code, stdout } = await help(name);

    expect(code).toBe(0);
    expect(stdout.replaceAll("`", "")).toContain(`# ${title}\n`);
    // What it links to is another command, or text.
    expect(stdout.replaceAll(/^ *```[^]*?^ *```$/gm, "")).not.toMatch(/\]\((?!https?:)/);
  });

  test("as a record", async () => {
    const { stdout } = await help("users", "-o", "json");
    const record: unknown = JSON.parse(stdout);

    expect(record).toMatchObject({ topic: "users", title: "Users' data" });
    expect(Object(record).text).toContain("runtime users export");
  });

  test("fits a terminal, except for code, which is not broken", async () => {
    const { stdout } = await newTerminal().run(["help", "sign-in"], { columns: 60 });
    const wide = stdout.split("\n").filter((line) => line.length > 60 && !line.startsWith("    "));

    expect(wide).toEqual([]);
    expect(stdout).toStartWith("How people sign in\n==================\n");
  });

  test("has bold headings in a terminal with colours", async () => {
    const { Chalk } = await import("chalk");
    const { bold, dim, red, green } = new Chalk({ level: 1 });
    const io = { ...fakeIo({ columns: 80, env: newTerminal().env }), paint: { bold, dim, red, green } };
    let printed = "";
    await main(["help", "sign-in"], { ...io, out: (text) => void (printed += text) });

    expect(printed).toStartWith(`${bold("How people sign in")}\n${bold("==================")}\n\n`);
    expect(printed).toContain(`\n${bold("With an OpenID provider")}\n${bold("-----------------------")}\n`);
  });

  test("whose name is also a command follows the help of the command", async () => {
    const [both = ""] = [...PAGES.keys()].filter((name) => COMMANDS.has(name));
    const { stdout } = await help(both);
    const own = await newTerminal().run([both, "--help"]);

    expect(stdout).toStartWith(own.stdout);
    expect(stdout).toContain(`# ${PAGES.get(both)?.title}`);
  });
});

describe("without a topic", () => {
  test("lists every page by reader, and the other topics", async () => {
    const { stdout } = await help();

    for (const { reader, entries } of shelves(PAGES)) {
      expect(stdout).toContain(`\n${reader}:\n`);
      for (const { page } of entries) expect(stdout).toMatch(new RegExp(`^  ${page.name} +\\S`, "m"));
    }
    for (const topic of TOPICS) expect(stdout).toContain(topic);
  });

  test("for programs: the pages with their readers, and names that `help` takes", async () => {
    const listed = await help("-o", "name");
    const names = listed.stdout.trim().split("\n");

    expect(names.toSorted()).toEqual([...PAGES.keys()].filter((name) => name !== "index").toSorted());
    const records: unknown = JSON.parse((await help("-o", "json")).stdout);
    expect(records).toContainEqual(expect.objectContaining({ topic: "operating", reader: "Operators" }));
  });
});

test("an unknown topic names the nearest one", async () => {
  const { code, stderr } = await help("operatng");

  expect([code, stderr]).toEqual([2, expect.stringContaining("Did you mean operating?")]);
});

test("the shell completes pages, commands and topics", async () => {
  const { stdout } = await newTerminal().run(["__complete", "help", ""]);

  expect(stdout.trim().split("\n")).toEqual(
    expect.arrayContaining([...PAGES.keys(), ...COMMANDS, ...TOPICS]),
  );
});
