// The page of a consent tells people in words what they grant.
import { expect, test } from "bun:test";
import { extensions } from "../../catalogs";

const declared = extensions.catalogs.flatMap(({ tools }) =>
  tools.flatMap(({ authorization }) =>
    (authorization?.scopes ?? []).map((scope) => [`${authorization?.provider}`, scope] as const),
  ),
);
const presets = new Map(extensions.presets.map((preset) => [preset.id, preset]));

test("every scope that a tool needs has words in the preset of its provider", () => {
  expect(declared.length).toBeGreaterThan(50);
  const unknown = declared.filter(
    ([provider, scope]) => presets.get(provider)?.scopeWords?.[scope] === undefined,
  );
  expect([...new Set(unknown.map((pair) => pair.join(" ")))]).toEqual([]);
});

test.each([...presets.values()])(
  "the words of $id are sentences for the person who consents",
  ({ name, scopeWords }) => {
    expect(name).toMatch(/^[A-Z][a-z]+$/);
    for (const words of Object.values(scopeWords ?? {})) {
      expect(words).toMatch(/^[A-Z][a-z]+,? .*[^.]$/);
      expect(words).not.toMatch(/\bscope|the user\b|the person|https?:/i);
    }
  },
);
