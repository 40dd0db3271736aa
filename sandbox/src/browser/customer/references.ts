import type { Api } from "../api.ts";
import { callsOf } from "./firm.ts";
import type { Customer, CustomField, Dictionary, Named, User } from "./wire.ts";

/** What records refer to: users, fields of the account, statuses, the currency. */
export interface References {
  users: User[];
  fields: CustomField[];
  dictionaries: Dictionary[];
  statuses: Named[];
  currency: string;
}

export const NO_REFERENCES: References = { users: [], fields: [], dictionaries: [], statuses: [], currency: "" };

const ALL = "limit=100";

export async function loadReferences({ crm }: Api): Promise<References> {
  const get = <T>(path: string) => crm<T>("GET", path);
  const fields = async (entity: string) =>
    (await get<{ customFields: CustomField[] }>(`/custom-fields?filter[entity]=${entity}&${ALL}`)).customFields;
  const [users, own, firms, dictionaries, statuses, settings] = await Promise.all([
    get<{ users: User[] }>(`/users?${ALL}`),
    fields("customer"),
    fields("customer_corporate"),
    get<{ customDictionaries: Dictionary[] }>(`/custom-fields/dictionaries?${ALL}`),
    get<{ statuses: Record<string, Named> }>("/reference/statuses"),
    get<{ settings: { default_currency?: { value?: string } } }>("/settings"),
  ]);
  return {
    users: users.users,
    fields: [...own, ...firms],
    dictionaries: dictionaries.customDictionaries,
    statuses: Object.values(statuses.statuses),
    currency: settings.settings.default_currency?.value ?? "",
  };
}

export const nameOfUser = ({ users }: References, id: number | undefined): string => {
  const user = users.find((each) => each.id === id);
  return user ? `${user.firstName ?? ""} ${user.lastName ?? ""}`.trim() : "";
};

export const nameOfCustomer = ({ nickName, firstName, lastName, patronymic, id }: Customer): string =>
  nickName || [firstName, lastName, patronymic].filter(Boolean).join(" ") || `Customer ${id}`;

/** The account's fields of such a customer. */
export const accountFields = ({ fields }: References, customer: Customer): CustomField[] =>
  fields.filter(({ entity }) => entity === callsOf(customer).entity);

/** Of a field with a dictionary. */
export const choicesOf = ({ dictionaries }: References, { dictionary }: CustomField): Named[] =>
  dictionaries.find(({ code }) => code === dictionary)?.elements ?? [];

/** A custom field's value in words. */
export function valueWords(references: References, field: CustomField, value: unknown): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  const names = new Map(choicesOf(references, field).map(({ code, name }) => [code, name]));
  return [value]
    .flat()
    .map((each) => names.get(String(each)) ?? String(each))
    .join(", ");
}
