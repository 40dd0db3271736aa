import { type Answer, failed } from "./command.ts";

export { accountOf } from "../module/vendor/naming.ts";

export const ACCOUNT_HELP = "given by its id or CRM address";

export const noAccount = (name: string): Answer => failed(`There is no account ${name}; see gangway accounts list.`);
