// The applications of every account of the sandbox: `inventory`, `empty` (nothing in it), `hr` (the owner's only).
import type { Application, Form, Report } from "./model";

const SUPPLIERS: Form = {
  link: "Suppliers",
  display: "Suppliers",
  type: 1,
  fields: [
    { link: "Name", display: "Name", kind: "text", mandatory: true, unique: true },
    { link: "Email", display: "E-mail", kind: "email" },
  ],
};

const PRODUCTS: Form = {
  link: "Products",
  display: "Products",
  type: 1,
  fields: [
    { link: "Name", display: "Name", kind: "text", mandatory: true },
    { link: "SKU", display: "SKU", kind: "text", unique: true },
    { link: "Quantity", display: "Quantity", kind: "number" },
    { link: "Price", display: "Price", kind: "decimal" },
    { link: "Active", display: "Active", kind: "checkbox" },
    { link: "Released", display: "Released", kind: "date" },
    { link: "Tags", display: "Tags", kind: "choices", choices: ["fragile", "heavy", "new"] },
    { link: "Supplier", display: "Supplier", kind: "lookup", target: "Suppliers" },
    { link: "Note", display: "Note", kind: "text", maxChar: 1000 },
    { link: "Label", display: "Label", kind: "formula" },
  ],
  script: (values) => (String(values["Quantity"] ?? "").startsWith("-") ? ["Quantity is below zero."] : []),
  opens: { type: "same window", url: "#Page:Overview" },
};

const FEEDBACK: Form = { link: "Feedback", display: "Feedback", type: 2, fields: [] };

const REPORTS: readonly Report[] = [
  {
    link: "All_Products",
    display: "All Products",
    type: 1,
    form: "Products",
    columns: ["Name", "SKU", "Quantity", "Price", "Active", "Tags", "Supplier"],
    exportable: true,
  },
  {
    link: "All_Suppliers",
    display: "All Suppliers",
    type: 1,
    form: "Suppliers",
    columns: ["Name", "Email"],
    exportable: true,
  },
  {
    link: "Stock_Chart",
    display: "Stock",
    type: 4,
    form: "Products",
    columns: ["Name", "Quantity"],
    exportable: false,
  },
];

/** `people`: others with access to the account's applications. */
export function applications(people: readonly string[]): readonly Application[] {
  const nothing = { forms: [], reports: [], pages: [] };
  return [
    {
      link: "inventory",
      name: "Inventory",
      sharedWith: people,
      forms: [SUPPLIERS, PRODUCTS, FEEDBACK],
      reports: REPORTS,
      pages: [{ link: "Overview", display: "Overview" }],
    },
    { link: "empty", name: "Empty", sharedWith: people, ...nothing },
    { link: "hr", name: "HR", sharedWith: [], ...nothing },
  ];
}
