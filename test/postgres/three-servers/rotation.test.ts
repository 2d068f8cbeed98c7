// Rotations of the root key and of data keys while three servers work: no request fails, and everything stays readable.
import { afterAll, beforeAll, expect } from "bun:test";
import { api } from "../../support/api";
import { hasPostgres, testOnPostgres } from "../../support/postgres/programs";
import { startThreeServers, type ThreeServers } from "./servers";

const SECRETS = 60;
const ROTATIONS = 6;

let three: ThreeServers;
let admin: string;
beforeAll(async () => {
  if (!hasPostgres) return;
  three = await startThreeServers();
  admin = await three.key("admin");
}, 60_000);
afterAll(async () => three?.[Symbol.asyncDispose]());

const valueOf = (index: number): string => `value ${index}`;

testOnPostgres(
  `no request fails during ${ROTATIONS} rotations of the root key and of a data key at each server in turn`,
  async () => {
    const { secrets } = three.at(0).runtime;
    const indexes = Array.from({ length: SECRETS }, (_, index) => index);
    for (const index of indexes) await secrets.upsert(three.operator, `S${index}`, { value: valueOf(index) });
    let stop = false;
    const faults: unknown[] = [];
    let requests = 0;
    const load = three.all.map(async ({ address, runtime }, server) => {
      while (!stop) {
        const client = api(address, admin);
        const write = await client.post(`/v1/admin/secrets/LOAD_${server}`, { value: `load ${requests}` });
        const read = await client.get("/v1/admin/auth_providers");
        faults.push(...[write, read].filter(({ status }) => status !== 200).map(({ text }) => text));
        const index = requests % SECRETS;
        const value = await runtime.secrets.value("default", `S${index}`).catch(String);
        if (value !== valueOf(index)) faults.push(`S${index}: ${value}`);
        requests += 3;
      }
    });

    const roots = new Set<string>();
    const left: unknown[] = [];
    try {
      for (let index = 0; index < ROTATIONS; index++) {
        roots.add((await three.at(index).runtime.rotation.rotateRoot(three.operator)).id);
        const { rotation } = three.at(index + 1).runtime;
        const { remaining, unopenable } = await rotation.rotateDataKey(three.operator);
        left.push(remaining, unopenable);
      }
    } finally {
      stop = true;
      await Promise.all(load);
    }

    expect(left.filter((count) => count !== undefined)).toEqual([]);
    expect(faults).toEqual([]);
    expect([roots.size, requests > 3 * ROTATIONS]).toEqual([ROTATIONS, true]);
    for (const { runtime } of three.all)
      for (const index of indexes)
        expect(await runtime.secrets.value("default", `S${index}`)).toBe(valueOf(index));
    expect((await three.at(2).runtime.inspection.verify()).problems).toEqual([]);
  },
  120_000,
);
