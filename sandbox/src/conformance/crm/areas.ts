import type { Area } from "./area.ts";
import { CORPORATE, CORPORATE_LIST } from "./areas/corporate.ts";
import { CUSTOM_FIELDS } from "./areas/custom-fields.ts";
import { CUSTOMER_LISTS, CUSTOMERS } from "./areas/customers.ts";
import { DELIVERY } from "./areas/delivery.ts";
import { FILES } from "./areas/files.ts";
import { ORDER_LIST, ORDERED, ORDERS } from "./areas/orders.ts";
import { PEOPLE } from "./areas/people.ts";
import { REFERENCE } from "./areas/reference.ts";
import { STORE } from "./areas/store.ts";
import { TASKS } from "./areas/tasks.ts";

/** Later areas use what earlier ones keep. */
export const AREAS: readonly Area[] = [
  REFERENCE,
  CUSTOM_FIELDS,
  STORE,
  CUSTOMERS,
  CORPORATE,
  ORDERED,
  TASKS,
  FILES,
  CUSTOMER_LISTS,
  ORDERS,
  CORPORATE_LIST,
  ORDER_LIST,
  DELIVERY,
  PEOPLE,
];
