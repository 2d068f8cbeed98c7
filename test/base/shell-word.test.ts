// Words of commands that people copy, as a shell reads them.
import { expect, test } from "bun:test";
import { shellWord } from "../../src/base";

test.each(["plain", "/srv/data-1.0", "da ta", "it's", "$HOME", "a;b", "*", "", "-x", "a\nb"])(
  "%j is one word",
  (text) => {
    const { stdout } = Bun.spawnSync(["sh", "-c", `printf '%s|' ${shellWord(text)}`]);
    expect(stdout.toString()).toBe(`${text}|`);
  },
);

test("the home folder stays one", () => {
  const { stdout } = Bun.spawnSync(["sh", "-c", `printf '%s|' ${shellWord("~/da ta")}`], {
    env: { HOME: "/home/a" },
  });
  expect(stdout.toString()).toBe("/home/a/da ta|");
});
