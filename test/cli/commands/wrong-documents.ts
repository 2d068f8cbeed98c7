// Documents that `runtime apply` refuses: [what is wrong, the document, the line of the mistake, parts of the error].
export type WrongDocument = [what: string, document: string, line: number, said: string[]];

const gateway = (rest: string): string => `gateways:\n  - name: Support\n    slug: support\n    ${rest}\n`;
const provider = (rest: string): string =>
  `providers:\n  - id: idp\n    oauth2:\n      client_id: "1"\n      ${rest}\n`;
const plugin = (rest: string): string => `plugins:\n  - name: policy\n    ${rest}\n`;
const webhook = (rest: string): string =>
  plugin(`webhook_config:\n      endpoints: {pre: {url: "https://policy.test/"}}\n      ${rest}`);
const hook = (rest: string): string =>
  `plugins:\n  - name: policy\n    webhook_config: {endpoints: {pre: {url: "https://p.test/"}}}\n` +
  `hooks:\n  - plugin: policy\n    hook_point: tool.pre\n    failure_mode: fail_open\n    ${rest}\n`;
const model = (rest: string): string => `models:\n  - id: local\n    ${rest}\n`;

const meant = (name: string, known: string): string[] => [
  `${name} is not a known field`,
  `did you mean ${known}?`,
];

export const UNKNOWN_NAMES: WrongDocument[] = [
  ["gatways", "gatways: []\n", 1, meant("gatways", "gateways")],
  ["a section in JSON", '{\n  "secrets": [],\n  "provider": []\n}', 3, meant("provider", "providers")],
  ["settings", "settings: {}\n", 1, ["settings is not a known field"]],
  ["session_verfication", "session_verfication: {}\n", 1, ["did you mean session_verification?"]],
  ["verifier_uri", "session_verification:\n  verifier_uri: x\n", 2, ["did you mean verifier_url?"]],
  [
    "tool_fitler",
    gateway("tool_fitler: {allowed_tools: []}"),
    4,
    meant("gateways.0.tool_fitler", "tool_filter"),
  ],
  ["allowed_tool", gateway("tool_filter:\n      allowed_tool: [A.B]"), 5, ["did you mean allowed_tools?"]],
  [
    "a second gateway",
    `${gateway("status: active")}  - name: B\n    slgu: b\n`,
    6,
    meant("gateways.1.slgu", "slug"),
  ],
  ["toolkits", gateway("toolkits: [Chat]"), 4, ["gateways.0.toolkits is not a known field"]],
  ["auth-type", gateway("auth-type: arcade"), 4, ["did you mean auth_type?"]],
  ["a field of discovery", gateway("tool_filter: {discovery: {enabld: true}}"), 4, ["did you mean enabled?"]],
  ["client_sercet", provider("client_sercet: x"), 5, ["did you mean client_secret?"]],
  [
    "client_sercet_from",
    provider("client_sercet_from: {env: X}"),
    5,
    meant("providers.0.oauth2.client_sercet_from", "client_secret_from"),
  ],
  ["a request", provider("token_requests: {endpoint: x}"), 5, ["did you mean token_request?"]],
  ["a field of a request", provider("token_request:\n        endpont: x"), 6, ["did you mean endpoint?"]],
  ["pkce", provider("pkce: {enable: true}"), 5, ["did you mean enabled?"]],
  [
    "redirect_uri",
    provider("redirect_uri: https://x.test/"),
    5,
    ["oauth2.redirect_uri is not a known field"],
  ],
  ["a secret", "secrets:\n- key: A\n  valeu: x\n", 3, meant("secrets.0.valeu", "value")],
  [
    "vlaue_from",
    "secrets:\n- key: A\n  vlaue_from: {env: X}\n",
    3,
    meant("secrets.0.vlaue_from", "value_from"),
  ],
  ["a source", "secrets:\n- key: A\n  value_from: {evn: X}\n", 3, ["did you mean env?"]],
  ["another source", "secrets:\n- key: A\n  value_from: {vault: X}\n", 3, ["{env: VARIABLE}"]],
  ["webhook", plugin("webhook_confg: {}"), 3, ["did you mean webhook_config?"]],
  ["signing_secrets", webhook("signing_secrets: x"), 5, ["did you mean signing_secret?"]],
  ["a kind of authentication", webhook("auth:\n        tokn: x"), 6, ["did you mean token?"]],
  ["a retry", plugin("retry: {max_attempt: 2}"), 3, ["did you mean max_attempts?"]],
  ["hook_piont", hook("hook_piont: tool.pre"), 8, meant("hooks.0.hook_piont", "hook_point")],
  ["prioritty", hook("prioritty: 3"), 8, ["did you mean priority?"]],
  ["timeout", hook("timeout: 3"), 8, ["hooks.0.timeout is not a known field"]],
  ["plugin_id", hook("plugin_id: pl_1"), 8, ["did you mean plugin?"]],
  ["a model server", model("opanai: {}"), 3, ["did you mean openai?"]],
  ["base_uri", model("openai: {base_uri: x}"), 3, ["did you mean base_url?"]],
  ["__proto__", gateway("__proto__: {status: inactive}"), 4, ["__proto__ is not a known field"]],
];

export const WRONG_VALUES: WrongDocument[] = [
  ["a list instead of a record", "session_verification: []\n", 1, ["session_verification must be object"]],
  ["a record instead of a list", "gateways: {name: x}\n", 1, ["gateways must be array"]],
  ["a text instead of a list", gateway("tool_filter: {allowed_tools: A.B}"), 4, ["must be array"]],
  [
    "a number instead of a text",
    "providers:\n- id: idp\n  oauth2:\n    client_id: 0012\n",
    4,
    ["must be string", "in quotes"],
  ],
  [
    "a text instead of a truth value",
    "session_verification:\n  unsafe_skip_verification: yes\n",
    2,
    ["must be boolean"],
  ],
  ["a text instead of a number", hook("priority: high"), 8, ["hooks.0.priority must be integer"]],
  ["a number out of range", hook("priority: 2000"), 8, ["hooks.0.priority must be <= 1000"]],
  ["an empty value", "secrets:\n- key: A\n  value: ''\n", 3, ["secrets.0.value must not be empty"]],
  ["an unknown status", gateway("status: activ"), 4, ["must be one of active, inactive", "nearest: active"]],
  ["an unknown point", hook("").replace("tool.pre\n", "tool.prev\n"), 6, ["nearest: tool.pre"]],
  ["an unknown mode", hook("").replace("fail_open", "fail_opne"), 7, ["nearest: fail_open"]],
  ["an unknown authentication", webhook("auth: {type: baerer}"), 5, ["nearest: bearer"]],
  ["a missing name", "gateways:\n- slug: a\n", 2, ["gateways.0.name is required"]],
  ["a missing client", "providers:\n- id: a\n  oauth2: {}\n", 3, ["oauth2.client_id is required"]],
  ["a missing record", "providers:\n- id: a\n", 2, ['provider "a": oauth2 is required', "type api_key"]],
  ["a missing key", "secrets:\n- key: A\n  value: x\n- value: y\n", 4, ["secrets.1.key is required"]],
  [
    "a missing mode",
    "hooks:\n- plugin: p\n  hook_point: tool.pre\n",
    2,
    ["hooks.0.failure_mode is required"],
  ],
  ["an invalid tool", gateway("tool_filter: {allowed_tools: [Chat]}"), 4, ["allowed_tools.0"]],
  ["an invalid id", 'providers:\n- id: "a b"\n  oauth2: {client_id: x}\n', 2, ["providers.0.id"]],
  ["a source that is a text", "secrets:\n- key: A\n  value_from: WORD\n", 3, ["value_from must be object"]],
  ["a source without a name", "secrets:\n- key: A\n  value_from: {env: ''}\n", 3, ["{env: VARIABLE}"]],
  ["two sources", "secrets:\n- key: A\n  value_from: {env: A, file: b}\n", 3, ["{env: VARIABLE}"]],
  [
    "a value and a source",
    "secrets:\n- key: A\n  value: x\n  value_from: {env: A}\n",
    3,
    ["value is given twice"],
  ],
];

export const CONTRADICTIONS: WrongDocument[] = [
  ["a name given twice", gateway("slug: other"), 4, ["slug is given twice"]],
  ["a section given twice", "gateways: []\nsecrets: []\ngateways: []\n", 3, ["gateways is given twice"]],
  ["a name given twice in JSON", '{"secrets": [\n {"key": "A",\n "key": "B"}]}', 3, ["key is given twice"]],
  [
    "two gateways with a slug",
    `${gateway("status: active")}  - name: B\n    slug: support\n`,
    6,
    ["gateways.1.slug is the same as that of gateways.0"],
  ],
  ["two gateways with a name", "gateways:\n- name: A\n- name: A\n", 3, ["gateways.1.name is the same"]],
  [
    "two providers with an id",
    "providers:\n- {id: a, oauth2: {client_id: x}}\n- {id: a, oauth2: {client_id: y}}\n",
    3,
    ["providers.1.id is the same"],
  ],
  [
    "two secrets with a key",
    "secrets:\n- {key: KEY, value: a}\n- {key: key, value: b}\n",
    3,
    ["secrets.1.key is the same"],
  ],
  [
    "two plugins with a name",
    `${webhook("auth: {type: none}")}  - {name: policy, plugin_type: webhook, webhook_config: {endpoints: {}}}\n`,
    6,
    ["plugins.1.name is the same"],
  ],
  [
    "two hooks with a priority",
    `${hook("name: a")}  - {plugin: policy, name: b, hook_point: tool.pre, failure_mode: fail_open}\n`,
    9,
    ["hooks.1.priority is the same"],
  ],
  [
    "two models with an id",
    "models:\n- {id: a, openai: {}}\n- {id: a, openai: {}}\n",
    3,
    ["models.1.id is the same"],
  ],
  ["both protocols", model("openai: {}\n    anthropic: {}"), 2, ["exactly one of openai and anthropic"]],
  [
    "a plugin that does not exist",
    "hooks:\n- {plugin: other, hook_point: tool.pre, failure_mode: fail_open}\n",
    2,
    ["hooks.0.plugin"],
  ],
  [
    "a point without an endpoint",
    hook("").replace("hook_point: tool.pre", "hook_point: tool.post"),
    6,
    ["has no endpoint"],
  ],
  [
    "a slug of another form",
    gateway("status: active").replace("slug: support", "slug: Not valid"),
    2,
    ["slug must be"],
  ],
];

export const NOT_YAML: WrongDocument[] = [
  ["an open list", "secrets: [\n", 2, ["not valid YAML or JSON"]],
  ["a tab", "gateways:\n\t- name: x\n", 2, ["not valid YAML or JSON"]],
  ["two documents", "secrets: []\n---\nsecrets: []\n", 2, ["a second document begins here"]],
  ["an alias without an anchor", "secrets: *none\n", 1, ["has no anchor"]],
];
