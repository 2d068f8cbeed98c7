// What an imported program may read and change.
import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { reachedBy } from "../../../cli/import/program-paths";
import { temporaryFolder } from "../../support/temporary";

/** A home folder with these files; those in a folder `bin` are programs. */
function homeWith(...files: string[]): string {
  const home = realpathSync(temporaryFolder());
  for (const file of files) {
    const path = join(home, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
    chmodSync(path, 0o755);
  }
  return home;
}

function reached(home: string, command: string, words: string[] = [], more: object = {}) {
  const found = reachedBy({
    command,
    arguments: words,
    environment: {},
    folder: undefined,
    searched: `${home}/.local/bin:${home}/nvm/bin:/usr/bin:/bin`,
    home,
    own: [join(home, ".local/share/runtime")],
    ...more,
  });
  const short = (path: string): string => path.replaceAll(home, "~");
  return (
    found && {
      command: short(found.command),
      path: found.path && short(found.path),
      read: found.read.map(short),
      write: found.write.map(short),
      kept: found.kept.map(short),
    }
  );
}

describe("a program", () => {
  test("of the system needs nothing", () => {
    expect(reached(homeWith(), "sh")).toEqual({
      command: "sh",
      path: undefined,
      read: [],
      write: [],
      kept: [],
    });
  });

  test("that does not exist is told", () => {
    expect(reached(homeWith(), "no-such-program")).toBeUndefined();
    expect(reached(homeWith(), "/no/such/program")).toBeUndefined();
  });

  test("of the user gets its path and its installation", () => {
    const home = homeWith("nvm/bin/npx", "nvm/lib/npm.js");
    expect(reached(home, "npx")).toMatchObject({
      command: "~/nvm/bin/npx",
      path: expect.stringMatching(/^~\/nvm\/bin:\/usr\/local/),
      read: ["~/nvm"],
    });
  });

  test("among others of the user gets their folder, not the data of this server", () => {
    const home = homeWith(".local/bin/uvx", ".local/share/runtime/runtime.db");
    expect(reached(home, "uvx")).toMatchObject({ read: ["~/.local/bin"], kept: [] });
  });

  test("behind a link gets both places", () => {
    const home = homeWith("venvs/tool/bin/tool", ".local/bin/other");
    symlinkSync(join(home, "venvs/tool/bin/tool"), join(home, ".local/bin/tool"));
    expect(reached(home, "tool")?.read).toEqual(["~/.local/bin", "~/venvs/tool"]);
  });
});

describe("its arguments and variables open", () => {
  test.each<[string, string[], string, { read?: string[]; write?: string[] }]>([
    ["a folder, for changes", ["docs/a.txt"], "docs", { write: ["~/docs"] }],
    [
      "a source's project",
      ["app/package.json", "app/build/index.js"],
      "app/build/index.js",
      { read: ["~/app"] },
    ],
    [
      "all packages that one belongs to",
      ["app/node_modules/@x/y/package.json", "app/node_modules/@x/y/dist/index.js"],
      "app/node_modules/@x/y/dist/index.js",
      { read: ["~/app/node_modules"] },
    ],
    ["only the folder of a source without a project", ["s/tool.py"], "s/tool.py", { read: ["~/s"] }],
    ["a file of settings, for reading", ["k/key.json"], "k/key.json", { read: ["~/k/key.json"] }],
    ["a file of data, for changes", ["d/notes.db"], "d/notes.db", { write: ["~/d/notes.db"] }],
    ["the folder of a file to be created", ["d/x"], "d/new.jsonl", { write: ["~/d"] }],
    ["not the home folder for a file in it", ["x"], "new.jsonl", {}],
  ])("%s", (_what, files, named, expected) => {
    const home = homeWith(...files);
    const all = { read: [], write: [], ...expected };
    expect(reached(home, "sh", [join(home, named)])).toMatchObject(all);
    expect(reached(home, "sh", [`--path=${join(home, named)}`])).toMatchObject(all);
    expect(reached(home, "sh", [], { environment: { A: join(home, named) } })).toMatchObject(all);
  });

  test("never what contains the data of this server, and that is told", () => {
    const home = homeWith(".local/share/runtime/runtime.db", ".git/config", "s.js");
    expect(reached(home, "sh", [home])).toMatchObject({ read: [], write: [], kept: ["~"] });
    expect(reached(home, "sh", [join(home, ".local/share/runtime")])).toMatchObject({ write: [] });
    expect(reached(home, "sh", [join(home, "s.js")])).toMatchObject({ read: [], kept: ["~"] });
  });

  test("nothing of an address, of the system, or twice", () => {
    const home = homeWith("docs/in/a.txt");
    const words = [
      "postgresql://h/tmp",
      "https://h/tmp",
      "/etc/passwd",
      "/",
      join(home, "docs/in"),
      join(home, "docs/"),
    ];
    expect(reached(home, "sh", words)).toMatchObject({ read: [], write: ["~/docs"] });
  });

  test("folders of programs for reading only", () => {
    const home = homeWith("py/lib/a.py");
    const environment = { PYTHONPATH: `${join(home, "py/lib")}:/usr/lib` };
    expect(reached(home, "sh", [], { environment })).toMatchObject({ read: ["~/py/lib"], write: [] });
  });

  test("the folder in which it starts, and what is named from there", () => {
    const home = homeWith("app/data/a.db", "app/server.js");
    expect(reached(home, "sh", ["server.js", "data/a.db"], { folder: join(home, "app") })).toMatchObject({
      read: ["~/app"],
      write: ["~/app/data/a.db"],
    });
  });
});
