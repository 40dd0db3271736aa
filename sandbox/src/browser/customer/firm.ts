import type { Customer } from "./wire.ts";

// A chat's customer may be a corporate one, whose calls have a path and fields of their own.

interface Calls {
  /** Below the API's root; also the answer's field of the list. */
  path: "customers" | "customers-corporate";
  many: "customers" | "customersCorporate";
  /** The form's field. */
  one: "customer" | "customerCorporate";
  /** Whose custom fields it has. */
  entity: "customer" | "customer_corporate";
}
const PERSON: Calls = {
  path: "customers",
  many: "customers",
  one: "customer",
  entity: "customer",
};
const FIRM: Calls = {
  path: "customers-corporate",
  many: "customersCorporate",
  one: "customerCorporate",
  entity: "customer_corporate",
};

export const isFirm = ({ type }: Customer): boolean => type === "customer_corporate";
export const callsOf = (customer: Customer): Calls => (isFirm(customer) ? FIRM : PERSON);
