// A scripted agent that knows nothing but SKILL.md: it runs the commands of the page in a sandbox, and shows addresses to the
// user, as the page says. Then the message that it was to send is there.
import { describe, expect, test } from "bun:test";
import { EXITS } from "../../../cli/errors";
import { blocksOf, pageText } from "../../support/blocks";
import { runPage } from "./run-page";

const PAGE = pageText("SKILL.md");

/** Registers the tests. `executable` is known only after the build. */
export function describeSkill(executable: () => string): void {
  test("the page is a skill: its front matter has the published form", () => {
    const [, text = ""] = /^---\n([^]*?)\n---\n/.exec(PAGE) ?? [];
    const front: unknown = Bun.YAML.parse(text);
    const { name, description, compatibility, metadata, ...others } = Object(front);

    expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(name.length).toBeLessThanOrEqual(64);
    expect(description.length).toBeWithin(1, 1025);
    expect(compatibility.length).toBeWithin(1, 501);
    for (const value of Object.values(Object(metadata))) expect(value).toBeString();
    expect(others).toEqual({});
  });

  test("it is short enough to be read as a whole, and has the exit codes that an agent meets", () => {
    expect(PAGE.split("\n").length).toBeLessThan(500);
    const codes = [...PAGE.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code));

    expect(codes).toEqual(EXITS.map(({ code }) => code).filter((code) => code < 10));
  });

  test("`runtime help agents` prints it", () => {
    const { stdout } = Bun.spawnSync([executable(), "help", "agents"]);

    expect(stdout.toString().trim()).toBe(PAGE.trim());
  });

  describe("an agent that knows only the page", () => {
    test("finds a tool, gets the user's consent, and runs it", async () => {
      const read = "runtime tools exec Chat.GetMessages --user alice --channel_name general -o json";
      const blocks = [
        ...blocksOf("SKILL.md"),
        {
          page: "SKILL.md",
          line: 0,
          language: "console",
          mark: undefined,
          text: `$ ${read} | grep -c '"Hello again"'\n1\n`,
        },
      ];

      expect((await runPage(blocks, { stage: "sandbox" }, executable())).join("\n")).toBe("");
    }, 120_000);
  });
}
