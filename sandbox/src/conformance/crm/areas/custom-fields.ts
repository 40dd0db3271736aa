import type { Area, CallData } from "../area.ts";

const ENTITIES = ["company", "customer", "customer_corporate", "loyalty_account", "order"];
const DICTIONARY = { name: "Colours", elements: [{ name: "Red", code: "red" }] };
const FIELD = { name: "Sail", type: "string", displayArea: "customer", viewMode: "editable", inFilter: true };
const OF_ORDERS = { path: { entity: "order", code: "sail" } };

/** A field of these types names its data book. */
const byDictionary = (field: object): Record<string, CallData> =>
  Object.fromEntries(
    ["dictionary", "multiselect_dictionary"].map((type) => [
      `customField.type=${type}`,
      { form: { customField: { ...FIELD, ...field, dictionary: "colours" } } },
    ]),
  );

export const CUSTOM_FIELDS: Area = {
  setting: ENTITIES.map((entity) => ({
    call: "customFieldsCreate",
    path: { entity },
    form: { customField: { ...FIELD, code: "sail" } },
  })),
  operations: {
    customFieldsDictionariesCreate: { form: { customDictionary: { ...DICTIONARY, code: "colours" } } },
    customFieldsDictionariesGet: { path: { code: "colours" } },
    customFieldsDictionariesEdit: { path: { code: "colours" }, form: { customDictionary: DICTIONARY } },
    customFieldsDictionaries: {},
    customFieldsCreate: {
      path: { entity: "order" },
      form: { customField: { ...FIELD, code: "sail_$n" } },
      choices: byDictionary({ code: "sail_$n" }),
    },
    customFieldsGet: OF_ORDERS,
    customFieldsEdit: { ...OF_ORDERS, form: { customField: FIELD }, choices: byDictionary({}) },
    customFieldsList: {},
  },
};
