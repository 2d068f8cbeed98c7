// A home folder on a disk that is full when the access token is due: the refresh token is used only if its successor can be
// stored.
import { expect, onTestFinished } from "bun:test";
import { readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mountDisk, testOnDisk, unmountDisk } from "../../support/small-disk";
import { newTerminal } from "../support/fake-io";
import { startSignInSite } from "./server";

const ASK = ["api", "GET", "/v1/caller"];

/** alice, whose home folder is a disk of its own, with an access token that is due. */
async function dueOnDisk(url: string, visit: (address: string) => Promise<string>) {
  const home = mountDisk(2) ?? "";
  onTestFinished(() => unmountDisk(home));
  const { run } = newTerminal({ HOME: home });
  const pages: Promise<string>[] = [];
  await run(["login", url], { answers: [], browser: (address) => void pages.push(visit(address)) });
  await Promise.all(pages);
  const file = join(home, ".config", "runtime", "logins.json");
  const logins = JSON.parse(readFileSync(file, "utf8"));
  logins.people[url].expires_at = Date.now() + 1000;
  writeFileSync(file, JSON.stringify(logins));
  const filler = join(home, "filler");
  return {
    run,
    file,
    fill: () => {
      const { bavail, bsize } = statfsSync(home);
      writeFileSync(filler, Buffer.alloc(bavail * bsize, 1));
    },
    empty: () => rmSync(filler),
  };
}

testOnDisk("no token is sent while the next one cannot be stored, and the sign-in goes on", async () => {
  await using site = await startSignInSite();
  const { run, file, fill, empty } = await dueOnDisk(site.url, (address) => site.visit(address, "alice"));
  const before = readFileSync(file, "utf8");
  const sent = (): number => site.requests.filter((request) => request === "POST /token").length;
  const first = sent();
  fill();

  const full = await run(ASK);
  const sentWhenFull = sent() - first;
  const whenFull = readFileSync(file, "utf8");
  empty();
  const { code } = await run(ASK);

  expect([full.code, sentWhenFull]).toEqual([1, 0]);
  expect(full.stderr).toBe(
    `error: ${file} cannot be read or written: no space left. Free space there, and try again.\n`,
  );
  expect(whenFull).toBe(before);
  expect([code, sent() - first]).toEqual([0, 1]);
  expect(readdirSync(dirname(file)).filter((name) => name.endsWith(".new"))).toEqual([]);
});

testOnDisk("a disk that fills up during the request takes the answer", async () => {
  await using site = await startSignInSite();
  const { run, file, fill } = await dueOnDisk(site.url, (address) => site.visit(address, "alice"));
  const before = JSON.parse(readFileSync(file, "utf8")).people[site.url];
  site.before = (path) => {
    if (path === "/token") fill();
    return false;
  };

  const { code } = await run(ASK);

  expect(code).toBe(0);
  expect(JSON.parse(readFileSync(file, "utf8")).people[site.url].refresh_token).not.toBe(
    before.refresh_token,
  );
});

testOnDisk("a sign-in that cannot be stored ends at the server", async () => {
  await using site = await startSignInSite();
  const visit = (address: string) => site.visit(address, "alice");
  const { run, file, fill } = await dueOnDisk(site.url, visit);
  const before = readFileSync(file, "utf8");
  const pages: Promise<string>[] = [];
  fill();

  const { code, stderr } = await run(["login", site.url], {
    answers: [],
    browser: (address) => void pages.push(visit(address)),
  });
  await Promise.all(pages);

  expect([code, stderr]).toEqual([1, expect.stringContaining(`${file} cannot be read or written: no space`)]);
  expect(readFileSync(file, "utf8")).toBe(before);
  expect(site.requests.filter((request) => request === "POST /token/revocation")).toHaveLength(1);
});
