// A manifest is applied in one transaction, also by callers that do not plan first.
import { expect, test } from "bun:test";
import { refusal } from "../connections/executing";
import { deploy, operator } from "../tools/deployment";

const GATEWAY = { name: "Support", slug: "support", auth_type: "arcade_header" as const };

test("a record that cannot be stored undoes those before it", async () => {
  await using deployment = await deploy({});
  const { manifests, gateways, secrets, identity } = deployment.runtime;
  const other = await identity.createProject(operator(), "other", "Other");
  await gateways.create({ ...operator(), projectId: other.id }, GATEWAY);

  const document = { secrets: [{ key: "FIRST", value: "x" }], gateways: [GATEWAY] };
  const error = await refusal(manifests.apply(operator(), document));

  expect(error).toMatchObject({
    name: "conflict",
    message: expect.stringContaining('gateway "support"'),
    fieldErrors: [{ field: "gateways.0" }],
  });
  expect((await secrets.list(operator())).items).toEqual([]);
});

test("a plugin and its hook can be new in the same manifest, and are nothing after a dry run", async () => {
  await using deployment = await deploy({});
  const { manifests, hooks } = deployment.runtime;
  const document = {
    plugins: [
      {
        name: "policy",
        plugin_type: "webhook" as const,
        webhook_config: { endpoints: { pre: { url: "https://policy.test/" } } },
      },
    ],
    hooks: [{ plugin: "policy", hook_point: "tool.pre" as const, failure_mode: "fail_open" as const }],
  };

  await manifests.apply(operator(), document, { dryRun: true });
  const none = await hooks.list(operator(), {});
  await manifests.apply(operator(), document);

  expect([none.items.length, (await hooks.list(operator(), {})).items.length]).toEqual([0, 1]);
});
