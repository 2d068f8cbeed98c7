// Every mistake of a document stops `runtime apply` before anything is changed, with its line and the nearest name.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSite } from "../../support/site";
import { newTerminal } from "../support/fake-io";
import { CONTRADICTIONS, NOT_YAML, UNKNOWN_NAMES, type WrongDocument, WRONG_VALUES } from "./wrong-documents";

const BEFORE = `
secrets: [{key: KEPT, value: kept}]
gateways: [{name: Kept, slug: kept, auth_type: arcade_header}]
`;

const home = mkdtempSync(join(tmpdir(), "runtime-documents-"));
let exported: string;

function apply(stdin: string, ...flags: string[]) {
  return newTerminal({ HOME: home }).run(["apply", "-f", "-", ...flags], { stdin });
}

async function configuration(): Promise<string> {
  return (await newTerminal({ HOME: home }).run(["export"])).stdout;
}

test("a correct document is applied first", async () => {
  expect((await apply(BEFORE)).stderr).toBe("2 changed, 0 unchanged.\n");
  exported = await configuration();
  expect(exported).toContain("slug: kept");
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

async function refused(document: string, line: number, said: readonly string[]): Promise<void> {
  const ran = await apply(document);

  expect([ran.code, ran.stdout]).toEqual([1, ""]);
  for (const part of [`line ${line}`, ...said]) expect(ran.stderr).toContain(part);
}

const run = (_what: string, document: string, line: number, said: string[]) => refused(document, line, said);

describe("a name that is not known", () => {
  test.each<WrongDocument>(UNKNOWN_NAMES)("%s", run);
});
describe("a value of the wrong form", () => {
  test.each<WrongDocument>(WRONG_VALUES)("%s", run);
});
describe("records that contradict each other", () => {
  test.each<WrongDocument>(CONTRADICTIONS)("%s", run);
});
describe("text that is not one document", () => {
  test.each<WrongDocument>(NOT_YAML)("%s", run);
});

test("nothing of them has been stored", async () => {
  expect(await configuration()).toBe(exported);
});

test("all mistakes are told at once, in their order, 20 at most", async () => {
  const mistakes = Array.from({ length: 30 }, (_, index) => `  sttaus${index}: x\n`).join("");
  const { stderr } = await apply(`secrets: {}\ngateways:\n- name: 1\n${mistakes}`);

  const lines = [...stderr.matchAll(/^ {2}line (\d+), column \d+: /gm)].map(([, line]) => Number(line));
  expect(stderr).toContain("standard input has 20 mistakes, so nothing was changed.");
  expect(lines).toEqual([1, 3, ...Array.from({ length: 18 }, (_, index) => index + 4)]);
});

test("no value of the document is in an error", async () => {
  const document =
    "secrets:\n- key: A\n  value: [hidden]\n- key: B\n  value: hidden-one\n  valeu: hidden-two\n";
  const { stderr, stdout } = await apply(document, "-o", "json");

  expect(stderr + stdout).toContain("line 3");
  expect(stderr + stdout).not.toContain("hidden");
});

describe("the API refuses the same documents", () => {
  const rows = [...UNKNOWN_NAMES, ...CONTRADICTIONS].filter(
    ([, document, , said]) => !/_from|given twice|__proto__/.test(document + said.join()),
  );
  test("with the names", async () => {
    await using site = await startSite();
    const address = `${site.url}/v1/admin/manifest`;
    const headers = {
      authorization: `Bearer ${await site.key("admin")}`,
      "content-type": "application/json",
    };
    for (const [what, document, , said] of rows) {
      const body = JSON.stringify(Bun.YAML.parse(document));
      const answer = await fetch(address, { method: "POST", headers, body });
      const text = await answer.text();
      expect([what, answer.status, said.filter((part) => !text.includes(part))]).toEqual([what, 400, []]);
    }
    expect(await (await fetch(address, { headers })).text()).not.toContain("policy");
  });
});
