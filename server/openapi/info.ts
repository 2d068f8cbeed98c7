// What the API description says about the interface as a whole.

/** The version of the HTTP interface. It changes with the published contract, not with the product's releases. */
export const INTERFACE_VERSION = "0.1.0";

export const INFO = {
  title: "Agent Runtime Control and Execution API",
  version: INTERFACE_VERSION,
  description:
    "Which tools exist and what each of them needs, the consent of users for exactly that, and running tools on their behalf.",
};
